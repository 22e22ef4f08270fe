// Questions to the local server. A page has one question at a time; the newest one counts.
'use strict';

class Server {
  constructor(served) {
    this.served = served;
    this.page = Array.from(crypto.getRandomValues(new Uint8Array(8)), (x) => x.toString(16).padStart(2, '0')).join('');
    this.waiting = {};
  }

  /** The answer to a question as JSON (as a Blob if `file`); an error has the server's own words. */
  async ask(path, body, { method = 'POST', query = {}, file = false } = {}) {
    const fields = new URLSearchParams({ page: this.page, ...query });
    let response;
    try {
      response = await fetch(`api/${path}?${fields}`, { method, body: body === undefined ? undefined : JSON.stringify(body) });
    } catch {
      throw new Error('the server does not answer; is exactformer play still running?');
    }
    if (response.ok && file) return response.blob();
    const answer = await response.json();
    if (!response.ok) throw Object.assign(new Error(answer.error ?? 'the server gave no answer'), { stale: response.status === 409 });
    return answer;
  }

  /** The same, where only the newest question of a kind matters: others are never answered, or never asked. */
  async newest(path, body, options) {
    const slot = (this.waiting[path] ??= { number: 0, running: null });
    const number = ++slot.number;
    const patience = new Promise((done) => setTimeout(done, 400)); // a slow question is overtaken, and cancelled there
    if (slot.running) await Promise.race([slot.running, patience]);
    if (number !== slot.number) return null;
    const asked = this.ask(path, body, options);
    slot.running = asked.catch(() => null);
    try {
      const answer = await asked;
      return number === slot.number ? answer : null;
    } catch (problem) {
      if (problem.stale || number !== slot.number) return null;
      throw problem;
    }
  }
}

module.exports = { Server };

// What the page asks the server: proofs while the hand moves, statements, certificates, hunts, smaller numbers.
'use strict';
const { $, announce, offer } = require('./dom.js');
const { toFile } = require('./state.js');

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

class Asks {
  /** The limit of the tokens shown; the answer to an older question is shown pale until the newest comes. */
  async askServer() {
    if (!this.served || !this.state.tokens.length || this.state.tab !== 'tokens') return;
    const asked = this.instance();
    try {
      const found = await this.server.newest('proof', toFile(asked));
      if (!found) return;
      Object.assign(this, { proof: found, proofProblem: '', proofStale: JSON.stringify(asked) !== JSON.stringify(this.instance()) });
      if (!this.proofStale) this.askStatements();
    } catch (problem) {
      Object.assign(this, { proof: null, proofProblem: problem.message });
    }
    this.draw();
  }

  /** Statements are judged once the hand rests, and only while their card is open. */
  askStatements() {
    clearTimeout(this.later);
    if (!this.served || !$('statements').open) return;
    this.later = setTimeout(async () => {
      try {
        const found = await this.server.newest('statements', toFile(this.state));
        if (found?.statements) this.statements = found.statements;
      } catch (problem) {
        announce(problem.message);
      }
      this.draw();
    }, 250);
  }

  /** Something asked once, by a button; what goes wrong is told. */
  async once(path, options) {
    try {
      const answer = await this.server.ask(path, toFile(this.state), options);
      if (answer.undecided) throw new Error(answer.undecided);
      return answer;
    } catch (problem) {
      announce(problem.message);
      return null;
    }
  }

  /** The certificate of the limit, or of a counterexample to a statement, as a file. */
  async certificate(statement) {
    const file = await this.once('certificate', { query: statement ? { statement } : {}, file: true });
    if (!file) return;
    offer(`${statement ?? 'limit'}.jsonl`, file);
    announce(`Check it with: proofs-check ${statement ?? 'limit'}.jsonl`);
  }
  /** The checker proved correct, which a page may carry, on the same certificate. */
  async checkHere() {
    const file = await this.once('certificate', { file: true });
    if (!file) return;
    const found = JSON.parse(globalThis.proofsCheckVerified(await file.text()));
    announce(`The checker proved correct, in this browser: ${found.verdict}: ${found.why}`);
  }
  async simplify() {
    announce('Looking for smaller numbers with the same course\u2026');
    const before = JSON.stringify(this.instance()), file = await this.once('simplify');
    if (!file) return;
    this.load(file);
    announce(JSON.stringify(this.instance()) === before ? 'No smaller numbers with the same course were found.' : 'Smaller numbers, the same course.');
  }
  async surprise() {
    this.stop();
    const { families } = this.content;
    let file = families[Math.floor(Math.random() * families.length)];
    if (this.served) file = (await this.once('sample', { query: { d: Math.min(this.dim, 3) } })) ?? file;
    this.load(file);
  }

  /** Hunts near the tokens shown for a counterexample, until one is found, the budget ends or it is stopped. */
  async hunt(statement) {
    const begun = await this.once('hunt', { query: { statement, seed: Math.floor(Math.random() * 1000) } });
    const stop = () => this.server.ask('hunt', undefined, { method: 'DELETE' }).catch(() => null);
    let told = begun;
    const number = (this.hunts = (this.hunts ?? 0) + 1);
    while (told && number === this.hunts) {
      const { instance } = told;
      this.hunted = { ...told, stop, show: () => { this.load(instance); this.lit = new Set([told.witness.token].filter(Number.isInteger)); } };
      this.draw();
      if (told.state !== 'running') return;
      await pause(250);
      told = await this.server.ask('hunt', undefined, { method: 'GET' }).catch(() => null);
    }
  }

  /** Tells the server, and so a notebook, what is on the screen. */
  report() {
    if (!this.served) return;
    clearTimeout(this.reporting);
    this.reporting = setTimeout(() => this.server.ask('state', toFile(this.state), { method: 'PUT' }).catch(() => null), 100);
  }
}

module.exports = { Asks };

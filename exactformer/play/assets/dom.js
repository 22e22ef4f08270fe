// Small helpers for elements of the page; text is set as text, never as markup.
'use strict';

const $ = (id) => document.getElementById(id);

/** A new element with attributes, listeners (on..) and children (texts or elements). */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Replaces the children of an element. */
const fill = (element, ...children) => element.replaceChildren(...children.flat().filter((child) => child !== null && child !== false));

/** Offers bytes or text as a file. */
function offer(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = make('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/** Says something for a moment, aloud for screen readers. */
function announce(text) {
  const place = $('announce');
  place.textContent = text;
  place.classList.add('shown');
  clearTimeout(place.timer);
  place.timer = setTimeout(() => place.classList.remove('shown'), 3500);
}

module.exports = { $, make, fill, offer, announce };

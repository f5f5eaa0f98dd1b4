// main.js - shows the page that the address names, and keeps it up to date

import { el, errorBox } from '/assets/dom.js';
import { onChange, openChanges } from '/assets/api.js';
import { openKeys } from '/assets/keys.js';
import { cardPage, cardsPage } from '/assets/page_cards.js';
import { eventsPage, fleetPage } from '/assets/page_fleet.js';
import { jobPage } from '/assets/page_job.js';
import { jobsPage } from '/assets/page_jobs.js';
import { pointPage } from '/assets/page_point.js';
import { tracePage } from '/assets/page_trace.js';
import { trendPage } from '/assets/page_verdicts.js';

const pages = [
  [/^\/(?:jobs)?$/, jobsPage, 'Jobs', '/'],
  [/^\/jobs\/(\d+)$/, jobPage],
  [/^\/jobs\/(\d+)\/points\/(\d+)$/, pointPage],
  [/^\/jobs\/(\d+)\/traces\/([0-9a-f]+)$/, tracePage],
  [/^\/cards$/, cardsPage, 'Cards', '/cards'],
  [/^\/cards\/([^/]+)\/(\d+)$/, cardPage],
  [/^\/trend$/, trendPage, 'Trend', '/trend'],
  [/^\/fleet$/, fleetPage, 'Fleet', '/fleet'],
  [/^\/events$/, eventsPage, 'Events', '/events'],
];

function showNavigation() {
  const links = pages.filter(([, , label]) => label).map(([pattern, , label, href]) => {
    const here = pattern.test(location.pathname) || (href !== '/' && location.pathname.startsWith(href + '/')) ||
      (href === '/' && location.pathname.startsWith('/jobs/'));
    return el('a', { href, 'aria-current': here ? 'page' : null }, label);
  });
  document.getElementById('nav').replaceChildren(...links);
}

let newest = 0; // the number of the page on screen

// Fills a page, and returns whether it is on screen. An error takes the place of the page
// until a later change can be read; an error of a page that was left, or of a fill after
// which another one began, is not drawn.
async function fill(page, place, isOnScreen, isLatest) {
  try {
    await page.refresh();
    if (!isOnScreen()) return false;
    if (page.node.parentNode !== place) place.replaceChildren(page.node);
    return true;
  } catch (error) {
    if (isOnScreen() && isLatest()) place.replaceChildren(errorBox(error));
    return false;
  }
}

async function showPage() {
  const place = document.getElementById('page'), own = ++newest;
  const found = pages.map(([pattern, create]) => [location.pathname.match(pattern), create]).find(([match]) => match);
  showNavigation();
  if (!found) {
    place.replaceChildren(errorBox(new Error('There is no page at this address.')));
    return;
  }
  const [match, create] = found;
  let page;
  try {
    page = create(...match.slice(1).map(decodeURIComponent));
  } catch (error) { // an address that cannot be decoded
    place.replaceChildren(errorBox(error));
    return;
  }
  let begun = 0;
  const refresh = () => {
    const number = ++begun;
    return fill(page, place, () => own === newest, () => number === begun);
  };
  document.title = `${page.title} - muster`;
  place.replaceChildren(page.node);
  onChange(refresh);
  if (await refresh()) document.body.dataset.ready = location.pathname;
}

// A link within the pages changes the page without loading the document again.
document.addEventListener('click', event => {
  const anchor = event.target.closest('a');
  if (!anchor || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || anchor.target ||
      anchor.hasAttribute('download') || anchor.origin !== location.origin || anchor.pathname.startsWith('/api/')) return;
  event.preventDefault();
  history.pushState(null, '', anchor.href);
  showPage();
  document.getElementById('page').focus();
  scrollTo(0, 0);
});
addEventListener('popstate', showPage);

openChanges(isOpen => {
  const live = document.getElementById('live');
  live.className = isOpen ? 'live on' : 'live off';
  live.textContent = isOpen ? 'live' : 'no connection';
});
openKeys();
showPage();

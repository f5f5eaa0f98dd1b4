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

async function showPage() {
  const place = document.getElementById('page');
  const found = pages.map(([pattern, create]) => [location.pathname.match(pattern), create]).find(([match]) => match);
  showNavigation();
  if (!found) {
    place.replaceChildren(errorBox(new Error('There is no page at this address.')));
    return;
  }
  const [match, create] = found, path = location.pathname;
  try {
    const page = create(...match.slice(1).map(decodeURIComponent));
    document.title = `${page.title} - muster`;
    place.replaceChildren(page.node);
    onChange(page.refresh);
    await page.refresh();
    if (location.pathname === path) document.body.dataset.ready = path;
  } catch (error) {
    place.replaceChildren(errorBox(error));
  }
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

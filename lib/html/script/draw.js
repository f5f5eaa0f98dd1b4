/* Draws each block when it becomes visible, and all of them before the page is printed. */

const drawers = {table: drawTable, xy: drawXy, heat: drawHeat, strips: drawStrips, bars: drawBars,
                 lanes: drawLanes};

function draw(box) {
  if (!box.data) box.data = JSON.parse(box.querySelector("script").textContent);
  box.drawnWidth = box.clientWidth;
  box.replaceChildren();
  drawers[box.dataset.kind](box, box.data);
}

const blocks = [...document.querySelectorAll(".draw")];
const observer = new IntersectionObserver(entries => {
  for (const entry of entries)
    if (entry.isIntersecting && !entry.target.data) draw(entry.target);
}, {rootMargin: "600px"});
blocks.forEach(box => observer.observe(box));

/* Tables adapt by themselves; plots are drawn again for another width. */
let resizeTimer;
addEventListener("resize", () => {
  clearTimeout(resizeTimer);
  resizeTimer = setTimeout(() => {
    for (const box of blocks)
      if (box.data && box.dataset.kind !== "table" && box.clientWidth !== box.drawnWidth) draw(box);
  }, 150);
});

function print(begins) {
  for (const box of blocks) {
    if (begins) {
      const section = box.closest("details");
      if (section) section.open = true;
      if (!box.data) draw(box);
    }
    if (box.onPrint) box.onPrint(begins);
  }
}
addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(false));

document.body.append(tip);
addEventListener("pointerover", showTip);
addEventListener("pointermove", event => {
  if (!tip.hidden) showTip(event);
});

/* Opens the section that a link within the page names. */
function openTarget() {
  const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  const section = target && target.closest("details");
  if (section) section.open = true;
}
addEventListener("hashchange", openTarget);
openTarget();

/* Lists the sections that are in no other one, in the element with the class "contents". */
const contents = document.querySelector(".contents");
if (contents)
  contents.append(...[...document.querySelectorAll("details.section[id]:not(details *)")].map(section =>
    element("a", {href: "#" + section.id}, section.querySelector("h2").textContent)));

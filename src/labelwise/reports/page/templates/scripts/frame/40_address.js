// The state of the page in its address, behind #, so that a link restores it.

function readAddress() {
  return new URLSearchParams(location.hash.slice(1));
}

let writing = 0;
let written = location.hash.slice(1);

function writeAddress(entries) {
  clearTimeout(writing);
  writing = setTimeout(() => {
    written = new URLSearchParams(entries).toString();
    history.replaceState(null, "", `#${written}`);
  }, 50);
}

// Calls back when somebody else than the page changes the address.
function onAddress(changed) {
  window.addEventListener("hashchange", () => {
    if (location.hash.slice(1) !== written) changed(readAddress());
  });
}

// Links to sections scroll and move the focus; the address stays that of the state.
function followSections() {
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const section = byId(link.getAttribute("href").slice(1));
      section.scrollIntoView();
      section.setAttribute("tabindex", "-1");
      section.focus({ preventScroll: true });
    });
  }
}

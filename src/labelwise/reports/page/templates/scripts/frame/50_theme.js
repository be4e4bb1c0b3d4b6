// Light and dark: as the system says, or as chosen.

const theme = byId("theme");

function setTheme(name) {
  theme.value = ["light", "dark"].includes(name) ? name : "auto";
  if (theme.value === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme.value);
}

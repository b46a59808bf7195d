// Before the first paint: the colours that this browser chose, so that no page flashes in the other.
{
  let kept = null;
  try {
    kept = localStorage.getItem("moorage-colours");
  } catch {
    // A browser that keeps nothing follows the system.
  }
  const dark =
    kept === "dark" || (kept !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
}

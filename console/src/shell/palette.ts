/** Opens the palette; small, so that the palette itself can come later. */
import { createSpotlight } from "@mantine/spotlight";

export const [paletteStore, palette] = createSpotlight();

export function openPalette(): void {
  palette.open();
}

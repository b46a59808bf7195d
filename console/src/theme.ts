/** How Moorage looks: harbour blue, quiet surfaces, small type, and enough contrast for everybody. */
import { createTheme, DEFAULT_THEME, type MantineColorsTuple, rem } from "@mantine/core";

const harbour: MantineColorsTuple = [
  "#e8f6fb",
  "#d3e9f1",
  "#a6d2e2",
  "#75bad3",
  "#4fa6c6",
  "#379abf",
  "#278fb6",
  "#0b6e8c",
  "#085a74",
  "#00455b",
];

/** The darkest of a colour are what is written in it, and what its pale badges are: 4.5 to 1. */
function written(name: "teal" | "yellow" | "red", ...darkest: string[]): MantineColorsTuple {
  const paler = DEFAULT_THEME.colors[name].slice(0, 10 - darkest.length);
  return [...paler, ...darkest] as unknown as MantineColorsTuple;
}

export const theme = createTheme({
  colors: {
    harbour,
    teal: written("teal", "#065f46"),
    yellow: written("yellow", "#7a4100"),
    red: written("red", "#c92a2a", "#b62323", "#a51d1d"),
  },
  primaryColor: "harbour",
  primaryShade: 7,
  autoContrast: true,
  luminanceThreshold: 0.34,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  defaultRadius: "md",
  cursorType: "pointer",
  headings: {
    fontWeight: "650",
    sizes: {
      h1: { fontSize: rem(24), lineHeight: "1.25" },
      h2: { fontSize: rem(18), lineHeight: "1.3" },
      h3: { fontSize: rem(15), lineHeight: "1.4" },
    },
  },
  components: {
    Table: { defaultProps: { verticalSpacing: "xs", horizontalSpacing: "md" } },
    Tooltip: {
      defaultProps: {
        withArrow: true,
        multiline: true,
        maw: 320,
        events: { hover: true, focus: true, touch: true },
      },
    },
    Drawer: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Modal: {
      defaultProps: {
        closeButtonProps: { "aria-label": "Close" },
        centered: true,
        overlayProps: { backgroundOpacity: 0.4, blur: 1 },
      },
    },
    Notification: { styles: { description: { color: "inherit" } } },
    Badge: { defaultProps: { variant: "light", radius: "sm", tt: "none", fw: 550 } },
  },
});

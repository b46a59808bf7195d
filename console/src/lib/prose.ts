/** Text with the few marks that runbooks use: headings, lists, tables, code. Pure; everything else stays text. */

export type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "code"; text: string }
  | { kind: "table"; head: string[]; rows: string[][] }
  | { kind: "list"; items: string[]; ordered: boolean }
  | { kind: "text"; text: string };

const ITEM = /^\s*(?:[-*]|(\d+)\.)\s+(.*)$/;
const DIVIDER = /^\s*\|?[\s:|-]+\|[\s:|-]*$/;

export function blocks(text: string): Block[] {
  const lines = text.replaceAll("\r", "").split("\n");
  const found: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at]?.trim() === "") at += 1;
    else {
      const [block, length] = first(lines.slice(at));
      found.push(block);
      at += length;
    }
  }
  return found;
}

/** The block with which lines begin, and how many of them it takes. */
function first(lines: string[]): [Block, number] {
  const line = lines[0] ?? "";
  const heading = /^(#{1,6})\s+(.*)$/.exec(line);
  if (heading)
    return [{ kind: "heading", level: heading[1]?.length ?? 1, text: heading[2] ?? "" }, 1];
  if (line.startsWith("```")) {
    const inside = upTo(lines.slice(1), (each) => each.startsWith("```"));
    return [{ kind: "code", text: inside.join("\n") }, inside.length + 2];
  }
  if (line.includes("|") && DIVIDER.test(lines[1] ?? "")) {
    const whole = upTo(lines, (each) => !each.includes("|"));
    const [head = "", , ...rows] = whole;
    return [{ kind: "table", head: cells(head), rows: rows.map(cells) }, whole.length];
  }
  if (ITEM.test(line)) {
    const whole = upTo(lines, (each) => !ITEM.test(each) && !/^\s+\S/.test(each));
    return [list(whole), whole.length];
  }
  const whole = upTo(lines, (each) => !isText(each));
  return [{ kind: "text", text: whole.join(" ") }, whole.length];
}

function upTo(lines: string[], ends: (line: string) => boolean): string[] {
  const end = lines.findIndex(ends);
  return end < 0 ? lines : lines.slice(0, end);
}

function isText(line: string): boolean {
  return line.trim() !== "" && !/^(#{1,6}\s|```)/.test(line) && !ITEM.test(line);
}

function cells(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());
}

function list(lines: string[]): Block {
  const items: string[] = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item) items.push(item[2] ?? "");
    else items.push(`${items.pop() ?? ""} ${line.trim()}`.trim());
  }
  return { kind: "list", items, ordered: ITEM.exec(lines[0] ?? "")?.[1] !== undefined };
}

export type Span = { kind: "text" | "code" | "strong"; text: string };

/** `code` and **strong** within a line. A link is its words: where an app's text leads, nobody knows. */
export function spans(text: string): Span[] {
  const plain = text.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");
  return plain
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .filter(Boolean)
    .map((part) => {
      if (part.startsWith("`") && part.length > 2) return { kind: "code", text: part.slice(1, -1) };
      if (part.startsWith("**") && part.length > 4)
        return { kind: "strong", text: part.slice(2, -2) };
      return { kind: "text", text: part };
    });
}

/** How to reach an instance: the app's text, cut into what is said and what is typed. Pure. */

export interface Block {
  words: string;
  /** Lines to type, each on its own. */
  commands: string[];
}

/** Lines that are indented are commands; what stands above them says what they are for. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  for (const line of text.split("\n")) {
    if (!line.trim()) continue;
    const last = blocks.at(-1);
    if (/^(\s{2,}|\t)/.test(line)) {
      if (last) last.commands.push(line.trim());
      else blocks.push({ words: "", commands: [line.trim()] });
    } else if (last && last.commands.length === 0) last.words = `${last.words} ${line.trim()}`;
    else blocks.push({ words: line.trim(), commands: [] });
  }
  return blocks.map((block) => ({ ...block, words: block.words.replace(/:$/, "") }));
}

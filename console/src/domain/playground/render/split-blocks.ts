/** A piece of an answer that is drawn by itself, so that finished pieces are drawn only once. */
export interface Block {
  kind: 'markdown' | 'code' | 'math' | 'plain';
  text: string;
  /** Language of code. */
  language?: string;
  /** Offset in the answer: the same for the same block while the answer grows. */
  at: number;
}

export interface SplitText {
  blocks: readonly Block[];
  /** Length of the text that was split. */
  length: number;
  /** Where the last block begins: it may still grow. */
  openAt: number;
}

/** A longer paragraph, list or table is drawn as plain text: parsing it again for each piece would freeze the page. */
const MOST_MARKDOWN = 20_000;
/** From here on everything is plain text. */
const MOST_FORMATTED = 300_000;
const PLAIN_PIECE = 8000;

const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`\n]*$/;
const anyFence = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})/;
const mathStart = /^\s*(?:\$\$|\\\[)/;

/** Splits an answer into blocks. With the result for its beginning, only the last block is split again. */
export function splitBlocks(text: string, before?: SplitText): SplitText {
  const from = before && text.length >= before.length ? before.openAt : 0;
  const kept = from === 0 ? [] : (before?.blocks.filter(({ at }) => at < from) ?? []);
  const added = from >= MOST_FORMATTED ? plainPieces(text, from) : new Splitter(text, from).split();
  const blocks = [...kept, ...added];
  return { blocks, length: text.length, openAt: blocks.at(-1)?.at ?? 0 };
}

/** Splits the states of one growing answer. The same text gives the same blocks, however often it is split. */
export function growingSplit(): (text: string) => readonly Block[] {
  let before: SplitText | undefined;
  return (text) => (before = splitBlocks(text, before)).blocks;
}

/** Equal pieces, so that only those on screen are laid out. */
function plainPieces(text: string, from: number): Block[] {
  const pieces: Block[] = [];
  for (let at = from; at < text.length; at += PLAIN_PIECE)
    pieces.push({ kind: 'plain', text: text.slice(at, at + PLAIN_PIECE), at });
  return pieces;
}

class Splitter {
  readonly #text: string;
  #at: number;
  readonly #blocks: Block[] = [];

  constructor(text: string, from: number) {
    this.#text = text;
    this.#at = from;
  }

  split(): Block[] {
    while (this.#at < this.#text.length) {
      if (this.#at >= MOST_FORMATTED) {
        this.#blocks.push(...plainPieces(this.#text, this.#at));
        break;
      }
      const line = this.#lineAt(this.#at);
      const opened = fence.exec(line);
      if (line.trim() === '') this.#at += line.length + 1;
      else if (opened) this.#code(opened);
      else if (mathStart.test(line)) this.#math(line);
      else this.#markdown();
    }
    return this.#blocks;
  }

  #lineAt(at: number): string {
    const end = this.#text.indexOf('\n', at);
    return this.#text.slice(at, end < 0 ? this.#text.length : end);
  }

  #code([line, mark = '', language = '']: RegExpExecArray): void {
    const start = this.#at + line.length + 1;
    const close = new RegExp(`^ {0,3}${mark.charAt(0)}{${mark.length},}\\s*$`, 'm');
    const rest = this.#text.slice(start);
    const found = close.exec(rest);
    this.#push({ kind: 'code', language, text: found ? rest.slice(0, found.index).replace(/\n$/, '') : rest });
    this.#at = found ? start + found.index + found[0].length + 1 : this.#text.length;
  }

  #math(line: string): void {
    const open = line.includes('$$') ? '$$' : '\\[';
    const start = this.#text.indexOf(open, this.#at) + 2;
    const end = this.#text.indexOf(open === '$$' ? '$$' : '\\]', start);
    // A formula is short; without an end it is being written, or is none.
    if (end < 0 || end - start > 4000) return this.#markdown();
    this.#push({ kind: 'math', text: this.#text.slice(start, end) });
    this.#at = end + 2;
  }

  /** Everything up to a blank line, without cutting lists and code in lists. */
  #markdown(): void {
    let end = this.#at;
    let inFence = '';
    for (;;) {
      const line = this.#lineAt(end);
      const [, mark] = anyFence.exec(line) ?? [];
      // An indented fence belongs to the list before it.
      if (inFence === '' && mark !== undefined && end > this.#at && /^ ?\S/.test(line) && fence.test(line)) break;
      if (mark !== undefined) inFence = inFence === '' ? mark : line.includes(inFence) ? '' : inFence;
      end += line.length + 1;
      if (end >= this.#text.length) break;
      const next = this.#lineAt(end);
      if (inFence === '' && next.trim() === '' && !this.#continues(end + next.length + 1)) break;
      if (inFence === '' && mathStart.test(next)) break;
    }
    const text = this.#text.slice(this.#at, end);
    if (text.length > MOST_MARKDOWN) for (const piece of plainPieces(text, 0)) this.#push(piece, this.#at + piece.at);
    else this.#push({ kind: 'markdown', text });
    this.#at = end;
  }

  /** Whether the text goes on indented after a blank line, as in a list. */
  #continues(at: number): boolean {
    return at < this.#text.length && /^ {2,}\S|^\t\S/.test(this.#lineAt(at));
  }

  #push(block: Omit<Block, 'at'>, at = this.#at): void {
    this.#blocks.push({ ...block, at });
  }
}

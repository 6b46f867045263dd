import type { BotFormat } from '@relay-hub/contract';

type Kind = 'bold' | 'italic' | 'underline' | 'strike' | 'spoiler' | 'code' | 'pre' | 'link';

/** Text, or text with a look. */
export type MessagePart = string | { kind: Kind; url?: string; parts: readonly MessagePart[] };

export interface ParsedMessage {
  parts: readonly MessagePart[];
  /** The first text that Telegram will refuse. The bot then sends the message as plain text. */
  problem: string | undefined;
}

/** Reads a message as the Bot API does, for the preview. */
export function parseMessage(text: string, format: BotFormat): ParsedMessage {
  if (format === 'html') return parseHtml(text);
  const reader = new MarkdownReader(text, format === 'MarkdownV2');
  const parts = reader.read('');
  return { parts, problem: reader.problem };
}

const marks = [
  ['```', 'pre'],
  ['||', 'spoiler'],
  ['__', 'underline'],
  ['*', 'bold'],
  ['_', 'italic'],
  ['~', 'strike'],
  ['`', 'code'],
] as const satisfies readonly (readonly [string, Kind])[];

/** Without a backslash, MarkdownV2 takes these for marks. */
const reserved = /[_*[\]()~`>#+\-=|{}.!]/;
const inOldMarkdown: ReadonlySet<string> = new Set(['```', '*', '_', '`']);

class MarkdownReader {
  readonly #text: string;
  readonly #isV2: boolean;
  #at = 0;
  problem: string | undefined;

  constructor(text: string, isV2: boolean) {
    this.#text = text;
    this.#isV2 = isV2;
  }

  /** Reads up to a mark, or to the end. */
  read(end: string): MessagePart[] {
    const parts: MessagePart[] = [];
    let plain = '';
    const flush = () => {
      if (plain !== '') parts.push(plain);
      plain = '';
    };
    const isVerbatim = end === '`' || end === '```';
    while (this.#at < this.#text.length) {
      if (end !== '' && this.#text.startsWith(end, this.#at)) {
        this.#at += end.length;
        flush();
        return parts;
      }
      const char = this.#text[this.#at] ?? '';
      if (char === '\\' && this.#at + 1 < this.#text.length) {
        plain += this.#text[this.#at + 1];
        this.#at += 2;
        continue;
      }
      const part = isVerbatim ? undefined : this.#styled(char);
      if (part) {
        flush();
        parts.push(part);
        continue;
      }
      if (this.#isV2 && !isVerbatim && reserved.test(char)) this.problem ??= this.#text.slice(this.#at, this.#at + 12);
      plain += char;
      this.#at++;
    }
    if (end !== '') this.problem ??= end;
    flush();
    return parts;
  }

  #styled(char: string): MessagePart | undefined {
    if (char === '[') return this.#link();
    const mark = marks.find(
      ([sign]) => this.#text.startsWith(sign, this.#at) && (this.#isV2 || inOldMarkdown.has(sign)),
    );
    if (!mark) return undefined;
    this.#at += mark[0].length;
    return { kind: mark[1], parts: this.read(mark[0]) };
  }

  #link(): MessagePart | undefined {
    const [whole, label = '', url = ''] =
      /^\[((?:\\.|[^\]\\])*)\]\(((?:\\.|[^)\\])*)\)/.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === undefined) return undefined;
    this.#at += whole.length;
    const inner = new MarkdownReader(label, this.#isV2);
    const parts = inner.read('');
    this.problem ??= inner.problem;
    return { kind: 'link', url: url.replace(/\\(.)/g, '$1'), parts };
  }
}

const tags: Readonly<Record<string, Kind>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strike',
  strike: 'strike',
  del: 'strike',
  'tg-spoiler': 'spoiler',
  code: 'code',
  pre: 'pre',
  a: 'link',
};

function parseHtml(text: string): ParsedMessage {
  let problem: string | undefined;
  const partsIn = (node: Node): MessagePart[] =>
    [...node.childNodes].flatMap((child): MessagePart[] => {
      if (!(child instanceof Element)) return child.textContent ? [child.textContent] : [];
      const name = child.tagName.toLowerCase();
      const kind = Object.hasOwn(tags, name) ? tags[name] : undefined;
      if (!kind) problem ??= `<${name}>`;
      const parts = partsIn(child);
      if (!kind) return parts;
      return [{ kind, parts, ...(kind === 'link' && { url: child.getAttribute('href') ?? '' }) }];
    });
  // Parsed without running anything: the document is never shown.
  const { body } = new DOMParser().parseFromString(text, 'text/html');
  return { parts: partsIn(body), problem };
}

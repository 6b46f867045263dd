import { Fragment, type ReactNode } from 'react';
import { safeAddress } from './safe-address.ts';

const inline = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]+)\]\(([^)\s]+)\)|(https?:\/\/[^\s<>"'，。；）)]+)/g;

/**
 * A subset of Markdown: paragraphs, headings, lists, `code`, **strong** and links. Renders
 * React elements only, so scripts cannot run; unknown syntax is shown as text.
 */
export function RichText({ text }: { text: string }) {
  // The server escapes tags; show them as typed.
  const blocks = text
    .replaceAll('\r', '')
    .replaceAll('&lt;', '<')
    .split(/\n{2,}|\n(?=#{1,6} )|(?<=^#{1,6} .*)\n/m);
  return (
    <div className="flex flex-col gap-3 leading-relaxed break-words">
      {blocks
        .filter((block) => block.trim() !== '')
        .map((block, index) => (
          <Block key={index} lines={block.trim().split('\n')} />
        ))}
    </div>
  );
}

function Block({ lines }: { lines: string[] }) {
  const [first = ''] = lines;
  const heading = /^#{1,6} (.+)/.exec(first)?.[1];
  if (heading !== undefined) return <p className="font-title text-text">{inlineOf(heading)}</p>;
  if (lines.every((line) => /^\s*([-*+]|\d+[.)])\s/.test(line))) return <List lines={lines} />;
  return (
    <p>
      {lines.map((line, index) => (
        <Fragment key={index}>
          {index > 0 && <br />}
          {inlineOf(line)}
        </Fragment>
      ))}
    </p>
  );
}

function List({ lines }: { lines: string[] }) {
  const ordered = /^\s*\d/.test(lines[0] ?? '');
  const items = lines.map((line, index) => <li key={index}>{inlineOf(line.replace(/^\s*([-*+]|\d+[.)])\s+/, ''))}</li>);
  return ordered ? <ol className="list-decimal pl-5">{items}</ol> : <ul className="list-disc pl-5">{items}</ul>;
}

function inlineOf(text: string): ReactNode[] {
  const pieces: ReactNode[] = [];
  let from = 0;
  for (const match of text.matchAll(inline)) {
    pieces.push(text.slice(from, match.index), <Fragment key={match.index}>{elementOf(match)}</Fragment>);
    from = match.index + match[0].length;
  }
  pieces.push(text.slice(from));
  return pieces;
}

function elementOf([whole, code, strong, words, target, bare]: RegExpExecArray): ReactNode {
  if (code !== undefined)
    return <code className="rounded-[calc(var(--radius-tile)-2px)] bg-fill px-1 font-mono text-[.93em]">{code}</code>;
  if (strong !== undefined) return <strong className="font-title text-text">{strong}</strong>;
  const href = safeAddress(bare ?? target ?? '');
  if (href === undefined) return whole;
  return (
    <a
      href={href}
      {...(!href.startsWith('/') && { target: '_blank', rel: 'noopener noreferrer' })}
      className="text-accent hover:underline"
    >
      {words ?? bare}
    </a>
  );
}

import { lazy, memo, Suspense, useState } from 'react';
import { CodeBox } from './code-box.tsx';
import { PlainText } from './plain-text.tsx';
import { growingSplit, type Block } from './split-blocks.ts';

const loadMarkdown = () => import('./markdown-block.tsx');
const MarkdownBlock = lazy(async () => ({ default: (await loadMarkdown()).MarkdownBlock }));
const Formula = lazy(async () => ({ default: (await import('./formula.tsx')).Formula }));

/** Loads what draws answers, before there is one. */
export const preloadMarkdown = (): void => void loadMarkdown().catch(() => undefined); // drawing it tries again

/** Characters on the page; copying an answer includes the rest. */
const MOST_SHOWN = 2_000_000;

interface Props {
  text: string;
  /** Still growing. */
  open: boolean;
}

/** The text of an answer, drawn block by block: while it grows, only the last block changes. */
export function AnswerText({ text, open }: Props) {
  const [split] = useState(growingSplit);
  const shown = text.length > MOST_SHOWN ? text.slice(0, MOST_SHOWN) : text;
  const blocks = split(shown);
  return (
    <div className="answer min-w-0 overflow-clip text-14/6 break-words max-sm:text-15/6">
      {blocks.map((block, index) => (
        <AnswerBlock key={block.at} {...block} open={open && index === blocks.length - 1} />
      ))}
    </div>
  );
}

const AnswerBlock = memo(function AnswerBlock({ kind, text, language = '', open }: Block & { open: boolean }) {
  switch (kind) {
    case 'code':
      return <CodeBox language={language} text={text} open={open} />;
    case 'plain':
      return <PlainText text={text} />;
    case 'math':
      return (
        <Suspense fallback={<PlainText text={text} />}>
          <Formula text={text} display />
        </Suspense>
      );
    case 'markdown':
      return (
        <Suspense fallback={<PlainText text={text} />}>
          <MarkdownBlock text={text} />
        </Suspense>
      );
  }
});

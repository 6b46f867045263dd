import type { BotFormat } from '@relay-hub/contract';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Note } from '#ui/feedback/note.tsx';
import { type MessagePart, parseMessage } from './message-parts.ts';

interface Props {
  command: string;
  text: string;
  format: BotFormat;
}

/** How Telegram will show the answer to a command. */
export function MessagePreview({ command, text, format }: Props) {
  const { t } = useTranslation('telegram');
  const { parts, problem } = parseMessage(text, format);
  return (
    <div className="grid gap-3">
      {problem !== undefined && (
        <Note tone="warn" live>
          {t('formatProblem', { at: problem })}
        </Note>
      )}
      <div className="grid gap-2 rounded-control border border-line bg-sunk p-4 text-14">
        <span className="w-fit max-w-full justify-self-end rounded-card bg-accent-soft px-3 py-1.5 font-mono text-13 break-words">
          /{command || '…'}
        </span>
        <div className="w-fit max-w-[85%] rounded-card border border-line bg-card px-3 py-2 break-words whitespace-pre-wrap">
          {text === '' ? <span className="text-text3">{t('emptyMessage')}</span> : partsOf(parts)}
        </div>
      </div>
    </div>
  );
}

const partsOf = (parts: readonly MessagePart[]): ReactNode =>
  parts.map((part, index) => <Fragment key={index}>{shown(part)}</Fragment>);

function shown(part: MessagePart): ReactNode {
  if (typeof part === 'string') return part;
  const inside = partsOf(part.parts);
  switch (part.kind) {
    case 'bold':
      return <b className="font-semibold">{inside}</b>;
    case 'italic':
      return <i>{inside}</i>;
    case 'underline':
      return <u>{inside}</u>;
    case 'strike':
      return <s>{inside}</s>;
    case 'spoiler':
      return <span className="rounded-tile bg-fill px-1">{inside}</span>;
    case 'code':
      return <code className="rounded-tile bg-fill px-1 font-mono text-13">{inside}</code>;
    case 'pre':
      return <code className="my-1 block overflow-x-auto rounded-tile bg-fill p-2 font-mono text-13">{inside}</code>;
    case 'link':
      // Shown as text: following a link would leave the form with its unsaved entries.
      return (
        <span className="text-accent underline" title={part.url}>
          {inside}
        </span>
      );
  }
}

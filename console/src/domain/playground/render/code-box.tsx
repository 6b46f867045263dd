import { lazy, Suspense } from 'react';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { PlainText } from './plain-text.tsx';

const HighlightedCode = lazy(async () => ({ default: (await import('./highlighted-code.tsx')).HighlightedCode }));

/** Longer code is shown without colours, and still longer code in pieces. */
const MOST_HIGHLIGHTED = 20_000;
const MOST_AT_ONCE = 60_000;

interface Props {
  language: string;
  text: string;
  /** Being written; colours come when it is complete. */
  open?: boolean;
}

/** Code of an answer, with its language and a button that copies it. */
export function CodeBox({ language, text, open = false }: Props) {
  const coloured = !open && language !== '' && text.length <= MOST_HIGHLIGHTED;
  return (
    <div className="my-3 overflow-hidden rounded-control border border-line bg-sunk first:mt-0 last:mb-0">
      <div className="flex h-8.5 items-center gap-2 border-b border-line pr-1 pl-3.5 font-sans text-12 text-text2 max-sm:h-10">
        <span className="min-w-0 flex-1 truncate">{language}</span>
        <CopyButton text={text} />
      </div>
      {text.length > MOST_AT_ONCE ? (
        <div className="max-h-120 overflow-y-auto p-3.5 font-mono text-[12.5px]/5">
          <PlainText text={text} />
        </div>
      ) : (
        <pre tabIndex={0} className="overflow-x-auto px-3.5 py-3 font-mono text-[12.5px]/5">
          <code>
            {coloured ? (
              <Suspense fallback={text}>
                <HighlightedCode language={language} text={text} />
              </Suspense>
            ) : (
              text
            )}
          </code>
        </pre>
      )}
    </div>
  );
}

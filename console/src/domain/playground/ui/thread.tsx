import { ArrowDown, MessageSquare } from 'lucide-react';
import { lazy, Suspense, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useStore } from '#api/store.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { conversationStore } from '#domain/playground/store/playground-store.ts';
import { usePlaygroundModels } from '#domain/playground/use-playground-models.ts';
import { RoundView } from './round-view.tsx';

const Starters = lazy(async () => ({ default: (await import('./starters.tsx')).Starters }));

/** Pixels from the end within which the page follows a growing answer. */
const NEAR = 80;

/** All messages; follows the end unless the reader scrolled away from it. */
export function Thread() {
  const { t } = useTranslation('playground');
  const { id, rounds, settings } = useStore(conversationStore);
  const { models, modes } = usePlaygroundModels();
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const shown = useRef('');
  const [away, setAway] = useState(false);
  const count = rounds.length;
  const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight });
  useLayoutEffect(() => {
    const now = `${id} ${count}`;
    if (shown.current === now) return;
    // Another conversation, or a new message of the user.
    shown.current = now;
    follows.current = true;
  }, [id, count]);
  // Also follows what grows later: colours of code, formulas, the charge.
  const watchGrowth = useCallback((content: HTMLElement | null) => {
    if (!content) return undefined;
    const observer = new ResizeObserver(() => {
      if (follows.current) box.current?.scrollTo({ top: box.current.scrollHeight });
    });
    observer.observe(content);
    return () => observer.disconnect();
  }, []);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current ?? { scrollTop: 0, scrollHeight: 0, clientHeight: 0 };
    follows.current = scrollHeight - scrollTop - clientHeight < NEAR;
    setAway(!follows.current);
  };
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={box}
        onScroll={onScroll}
        role="log"
        aria-live="off"
        aria-label={t('thread')}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-6 py-5 -outline-offset-2 max-sm:px-3.5 max-sm:py-4"
      >
        {count === 0 ? (
          <div className="grid min-h-full content-center">
            <EmptyState icon={MessageSquare} title={t(`empty.${settings.mode}`)} text={t('emptyText')} />
            {settings.mode === 'chat' && (
              <Suspense>
                <Starters modes={modes} />
              </Suspense>
            )}
          </div>
        ) : (
          <ol
            ref={watchGrowth}
            className={cx('mx-auto flex flex-col gap-7', settings.models.length > 1 ? 'max-w-300' : 'max-w-180')}
          >
            {rounds.map((round) => (
              <RoundView key={round.id} round={round} models={models} />
            ))}
          </ol>
        )}
      </div>
      {away && count > 0 && (
        <IconButton
          label={t('toEnd')}
          icon={ArrowDown}
          variant="default"
          className="absolute bottom-2 left-1/2 -translate-x-1/2 rounded-full! shadow-menu"
          onClick={toEnd}
        />
      )}
    </div>
  );
}

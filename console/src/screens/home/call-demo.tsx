import { Pause, Play, RotateCcw } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import type { TokenPricedModel } from './available-models.ts';
import { CallInvoice } from './call-invoice.tsx';
import { callStory } from './call-story.ts';
import { CallSteps } from './call-steps.tsx';

type Playback = 'waiting' | 'playing' | 'paused' | 'ended';

const reduced = matchMedia('(prefers-reduced-motion: reduce)');
const follow = (listener: () => void) => {
  reduced.addEventListener('change', listener);
  return () => reduced.removeEventListener('change', listener);
};

/** State of an animation that starts once `stage` is in view; `ended` at once where motion is not wanted. */
function usePlayback(stage: RefObject<HTMLElement | null>) {
  const still = useSyncExternalStore(follow, () => reduced.matches);
  const [state, setState] = useState<Playback>('waiting');
  /** Changes with each replay: as a React key it starts the animations again. */
  const [round, setRound] = useState(0);

  useEffect(() => {
    if (!stage.current) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        setState((now) => (now === 'waiting' ? 'playing' : now));
      },
      { threshold: 0.25 },
    );
    observer.observe(stage.current);
    return () => observer.disconnect();
  }, [stage]);

  /** Pauses, continues, or starts again after the end. */
  const press = () => {
    if (state === 'ended') setRound((now) => now + 1);
    setState(state === 'playing' ? 'paused' : 'playing');
  };
  return { still, state: still ? 'ended' : state, round, press, end: () => setState('ended') };
}

const controls = {
  waiting: { icon: Play, text: 'demo.play' },
  playing: { icon: Pause, text: 'demo.pause' },
  paused: { icon: Play, text: 'demo.play' },
  ended: { icon: RotateCcw, text: 'demo.replay' },
} as const;

/** One call from request to invoice, replayed once it is in view; all of it at once under reduced motion. */
export function CallDemo({ model }: { model: TokenPricedModel }) {
  const { t } = useTranslation('home');
  const stage = useRef<HTMLElement>(null);
  const { still, state, round, press, end } = usePlayback(stage);
  const group = useUserGroups()['default']?.ratio ?? 1;
  const story = callStory(model.price, group);
  const { icon, text } = controls[state];
  return (
    <section ref={stage} aria-labelledby="home-demo" className="pb-12">
      <div className="mb-4 flex min-h-10 items-center justify-between gap-4">
        <h2 id="home-demo" className="text-20">
          {t('demo.title')}
        </h2>
        {!still && (
          <Button icon={icon} onClick={press}>
            {t(text)}
          </Button>
        )}
      </div>
      <div
        key={round}
        className={cx('grid gap-4 lg:grid-cols-[minmax(0,1fr)_420px]', state !== 'playing' && 'replay-held')}
      >
        <CallSteps model={model} output={story.usage.output} tokensPerSecond={story.tokensPerSecond} />
        <CallInvoice group={group} story={story} onEnd={end} />
      </div>
    </section>
  );
}

import { Pause, Play, RadioTower } from 'lucide-react';
import { useState } from 'react';
import { languageTag } from '#i18n/i18n.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState, StaleStrip } from '#ui/feedback/error-state.tsx';
import { LiveDot } from '#ui/feedback/live-dot.tsx';
import { formatAge } from '#ui/format/time.ts';
import { useNow } from '#ui/format/use-now.ts';
import { FlowCard } from './flow-card.tsx';
import { LiveNumbers } from './live-numbers.tsx';
import { TroubleCard } from './trouble-card.tsx';
import { useLiveHub, type LiveHub } from './use-live-hub.ts';

/** The whole hub over the last hour, as it happens. */
export function LiveScreen() {
  const { t } = useTranslation('cockpit');
  const [paused, setPaused] = useState(false);
  const hub = useLiveHub(paused);
  const { state, error } = hub;
  return (
    <div className="grid grid-cols-1 gap-4 max-sm:gap-2">
      <div className="flex min-h-8.5 flex-wrap items-center gap-x-3 gap-y-1">
        <Heard hub={hub} paused={paused} />
        <p className="text-text2 max-sm:hidden">{t('about')}</p>
        <Button size="sm" className="ml-auto" icon={paused ? Play : Pause} onClick={() => setPaused(!paused)}>
          {t(paused ? 'resume' : 'pause')}
        </Button>
      </div>
      {error && state && <StaleStrip text={error.message || t('lost')} framed />}
      {error && !state ? (
        <Card>
          <ErrorState text={error.message || t('lost')} />
        </Card>
      ) : state?.total.calls === 0 && state.troubles.length === 0 ? (
        <Card>
          <EmptyState icon={RadioTower} title={t('noCalls')} text={t('noCallsText')} />
        </Card>
      ) : (
        <>
          <LiveNumbers state={state} />
          <FlowCard state={state} />
          <TroubleCard state={state} />
        </>
      )}
    </div>
  );
}

function Heard({ hub: { heardAt, error }, paused }: { hub: LiveHub; paused: boolean }) {
  const { t } = useTranslation('cockpit');
  const now = useNow(1);
  const age = heardAt === 0 ? undefined : formatAge(heardAt, Math.max(now, heardAt), languageTag());
  const off = error && !paused ? t('reconnecting') : undefined;
  return <LiveDot on={!paused && !error && heardAt > 0} off={off} note={age} />;
}

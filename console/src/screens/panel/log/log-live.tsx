import { Pause, Play } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { LiveDot } from '#ui/feedback/live-dot.tsx';
import { formatAge } from '#ui/format/time.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { useNow } from '#ui/format/use-now.ts';

interface Props {
  /** The list is refreshing itself. */
  live: boolean;
  /** Whether it can: only the first page does. */
  able: boolean;
  /** In milliseconds. */
  updatedAt: number;
  onToggle: () => void;
}

/** Whether the list refreshes itself, since when, and a button to pause. */
export function LogLive({ live, able, updatedAt, onToggle }: Props) {
  const { t } = useTranslation('log');
  const phone = useIsPhone();
  if (!able)
    return (
      <Tooltip text={t('liveOff')}>
        <span>
          <LiveDot on={false} />
        </span>
      </Tooltip>
    );
  if (phone)
    return (
      <button type="button" aria-pressed={live} onClick={onToggle} className="touch rounded-full">
        <LiveDot on={live} />
      </button>
    );
  return (
    <>
      {live && updatedAt > 0 ? <LiveAge updatedAt={updatedAt} /> : <LiveDot on={live} />}
      <IconButton label={t(live ? 'pause' : 'resume')} icon={live ? Pause : Play} onClick={onToggle} />
    </>
  );
}

function LiveAge({ updatedAt }: { updatedAt: number }) {
  const { i18n } = useTranslation('log');
  const now = useNow(1);
  return (
    <LiveDot note={formatAge(Math.min(now, Math.floor(updatedAt / 1000)), now, i18n.language.replace('_', '-'))} />
  );
}

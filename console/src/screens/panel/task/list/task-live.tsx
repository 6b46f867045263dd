import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { LiveDot } from '#ui/feedback/live-dot.tsx';

interface Props {
  live: boolean;
  /** Only the first page can show new tasks. */
  able: boolean;
  onToggle: () => void;
}

/** Whether new tasks appear by themselves, and a button to pause that. */
export function TaskLive({ live, able, onToggle }: Props) {
  const { t } = useTranslation('task');
  const phone = useIsPhone();
  if (!able) return <LiveDot on={false} />;
  if (phone)
    return (
      <button type="button" aria-pressed={live} onClick={onToggle} className="touch rounded-full">
        <LiveDot on={live} />
      </button>
    );
  return (
    <>
      <LiveDot on={live} />
      <Button size="sm" onClick={onToggle}>
        {t(live ? 'pause' : 'resume')}
      </Button>
    </>
  );
}

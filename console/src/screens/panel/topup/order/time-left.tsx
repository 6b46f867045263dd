import type { OwnOrder } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { formatLeft } from '#ui/format/time.ts';
import { useNow } from '#ui/format/use-now.ts';

/** How long an order can still be paid, as text and bar. */
export function TimeLeft({ order }: { order: OwnOrder }) {
  const { t } = useTranslation('topup');
  const now = useNow(1);
  const { created_at: created, expires_at: expires, gateway_name: gateway } = order;
  const left = Math.max(0, expires - now);
  const text = left > 0 ? t('order.left', { time: formatLeft(left) }) : t('order.timeUp');
  return (
    <div className="mt-4">
      <div className="mb-1.5 flex items-center gap-2 text-12 text-text2">
        <span
          aria-hidden
          className="size-2 flex-none rounded-full bg-ok-g shadow-[0_0_0_4px_var(--color-ok-soft)] forced-color-adjust-none"
        />
        <span className="min-w-0 truncate">{t('order.waitingFor', { gateway })}</span>
        <span className="ml-auto flex-none tabular-nums">{text}</span>
      </div>
      <ProgressBar label={t('order.timeLeft')} value={left} max={expires - created} text={text} />
    </div>
  );
}

import type { Activity } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { useRefusalText } from '#domain/refusal/refusal-text.ts';
import { formatWhole } from '#ui/format/number.ts';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

interface Props {
  activity: Activity;
  attempts: boolean;
}

/** Why tries failed, and why calls were refused, as bars. */
export function ActivityReasons({ activity, attempts }: Props) {
  const { t } = useTranslation('activity');
  const refusal = useRefusalText();
  const { reasons, refusals } = activity;
  return (
    <div>
      <DetailSection title={t(attempts ? 'whyAttempts' : 'whyCalls')}>
        {reasons.length === 0 ? (
          <p className="text-13 text-text2">{activity.tries.failures === 0 ? t('noneFailed') : '–'}</p>
        ) : (
          <CountBars
            tone="bg-bad-g"
            counts={reasons.map(({ kind, count }) => ({ id: kind, name: t(`kind.${kind}`), count }))}
          />
        )}
      </DetailSection>
      {refusals.length > 0 && (
        <DetailSection title={t('refused')}>
          <CountBars
            tone="bg-warn-g"
            counts={refusals.map(({ reason, status, count }) => ({
              id: `${reason} ${status}`,
              name: refusal.named(reason, status),
              count,
            }))}
          />
        </DetailSection>
      )}
    </div>
  );
}

interface CountBarsProps {
  counts: readonly { id: string; name: string; count: number }[];
  tone: string;
}

function CountBars({ counts, tone }: CountBarsProps) {
  const most = Math.max(...counts.map(({ count }) => count));
  return (
    <ul className="grid grid-cols-1 gap-2 text-13">
      {counts.map(({ id, name, count }) => (
        <li key={id}>
          <span className="flex justify-between gap-3">
            <span className="min-w-0 truncate">{name}</span>
            <span className="tabular-nums">{formatWhole(count)}</span>
          </span>
          <span aria-hidden className="mt-1 block h-1 rounded-full bg-fill">
            <span
              className={`block h-1 rounded-full forced-color-adjust-none ${tone}`}
              style={{ width: `${Math.max(2, (count / most) * 100)}%` }}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}

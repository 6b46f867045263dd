import type { Activity } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { SuccessRate } from '#domain/channel/health-strip.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

interface Props {
  activity: Activity;
  /** The parts are channels. */
  ofModel: boolean;
}

/** The models of a record, or the channels of a model, by number of calls. */
export function ActivityParts({ activity: { parts }, ofModel }: Props) {
  const { t } = useTranslation('activity');
  return (
    <DetailSection title={t(ofModel ? 'channels' : 'models')}>
      {parts.length === 0 ? (
        <p className="text-13 text-text2">{t(ofModel ? 'noChannels' : 'noModels')}</p>
      ) : (
        <ul className="divide-y divide-line rounded-card border border-line text-13">
          {parts.map((part) => (
            <li key={part.key} className="flex h-9 items-center gap-3 px-3">
              <span className="min-w-0 flex-1 truncate">
                {ofModel && part.name !== '' ? (
                  <Link
                    className="touch text-accent hover:underline"
                    to="/panel/channel"
                    search={{ show: Number(part.key) }}
                  >
                    {part.name}
                  </Link>
                ) : (
                  part.name || `#${part.key}`
                )}
              </span>
              <span className="text-text2 tabular-nums">
                {t('partCalls', { count: part.requests, calls: formatWhole(part.requests) })}
              </span>
              <span className="w-18 text-right">
                <SuccessRate of={part} />
              </span>
              <span className="w-24 text-right">
                <Money credits={part.quota} fixed />
              </span>
            </li>
          ))}
        </ul>
      )}
    </DetailSection>
  );
}

import { type ActivityDays, channelApi, type ServedFacts, type ServiceMode } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { Note } from '#ui/feedback/note.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Time } from '#ui/format/time.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

type Model = ServedFacts['models'][number];
type Counted = Pick<Model['reported'][number], 'calls' | 'first_time' | 'last_time' | 'last_id'>;

/** Models, tiers, fingerprints and usage that a channel reports, with counts and the last call of each. */
export default function ServedList({ channel, days }: { channel: number; days: ActivityDays }) {
  const { t } = useTranslation('served');
  const { data, error } = useQuery({
    ...apiQuery(channelApi.served, { params: { id: channel }, query: { days: Number(days) } }),
    meta: { quiet: true },
  });
  return (
    <DetailSection title={t('title')} aside={data && t('calls', { calls: formatWhole(data.calls) })}>
      <p className="mb-2 text-12 text-text2">{t('text')}</p>
      {error && <Note tone="bad">{error.message}</Note>}
      {!data && !error && <Skeleton width="100%" />}
      {data?.models.length === 0 && <p className="text-13 text-text3">{t('none')}</p>}
      {data && data.models.length > 0 && (
        <ul className="divide-y divide-line overflow-hidden rounded-card border border-line text-13">
          {data.models.map((model) => (
            <ModelFacts key={`${model.model} ${model.sent}`} model={model} />
          ))}
        </ul>
      )}
    </DetailSection>
  );
}

function ModelFacts({ model: { model, sent, calls, reported, tiers, fingerprints, usage } }: { model: Model }) {
  const { t } = useTranslation('served');
  const modes = (list: readonly ServiceMode[]) => (list.length === 0 ? 'standard' : list.join(', '));
  return (
    <li className="px-3 py-2">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className="min-w-0 font-title break-words">{sent === model ? model : `${model} → ${sent}`}</span>
        <span className="ml-auto text-12 text-text2 tabular-nums">{t('calls', { calls: formatWhole(calls) })}</span>
      </div>
      {reported.length + tiers.length + fingerprints.length + usage.length === 0 && (
        <Status kind="done" text={t('asAsked')} />
      )}
      <ul>
        {reported.map(({ model: other, alike, ...counts }) => (
          <Fact key={other} counts={counts} isOdd={!alike}>
            {t(alike ? 'alike' : 'other', { model: other })}
          </Fact>
        ))}
        {tiers.map(({ asked, served, ...counts }) => (
          <Fact key={`${modes(asked)} ${modes(served)}`} counts={counts} isOdd>
            {t('tier', { asked: modes(asked), served: modes(served) })}
          </Fact>
        ))}
        {usage.map(({ kind, ...counts }) => (
          <Fact key={kind} counts={counts} isOdd={kind !== 'none'}>
            {t(`usage.${kind}`)}
          </Fact>
        ))}
        {fingerprints.map(({ fingerprint, ...counts }) => (
          <Fact key={fingerprint} counts={counts} isOdd={false}>
            {t('fingerprint', { fingerprint })} <Time at={counts.first_time} />
          </Fact>
        ))}
      </ul>
    </li>
  );
}

/** One fact with its count; the count opens the last of its calls. */
function Fact({ counts, isOdd, children }: { counts: Counted; isOdd: boolean; children: ReactNode }) {
  const { t } = useTranslation('served');
  return (
    <li className="flex min-h-7 flex-wrap items-baseline gap-x-3 text-12">
      <span className={isOdd ? 'min-w-0 break-words text-warn' : 'min-w-0 break-words text-text2'}>{children}</span>
      <Link
        to="/panel/log"
        search={{ id: counts.last_id }}
        className="touch ml-auto text-accent tabular-nums hover:underline"
      >
        {t('calls', { calls: formatWhole(counts.calls) })}
      </Link>
    </li>
  );
}

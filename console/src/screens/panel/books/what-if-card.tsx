import {
  channelApi,
  priceApi,
  whatIfApi,
  type WhatIfInput,
  type WhatIfRun,
  whatIfBases,
  whatIfCosts,
} from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useAllGroups } from '#api/all-groups.ts';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Field } from '#ui/form/field.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { Select } from '#ui/form/select.tsx';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { formatWhole } from '#ui/format/number.ts';
import { formatDate } from '#ui/format/time.ts';
import { Time } from '#ui/format/time.tsx';
import { WhatIfReport } from './what-if-report.tsx';

const thisMonth = () => formatDate(Math.floor(Date.now() / 1000)).slice(0, 7);
/** The month before the present one. */
function lastMonth(): string {
  const [year = 0, month = 1] = thisMonth().split('-').map(Number);
  return month === 1 ? `${year - 1}-12` : `${year}-${String(month - 1).padStart(2, '0')}`;
}

/** An array of prices, or `{"data": […]}`; undefined: neither. */
function pricesIn(text: string): WhatIfInput['prices'] | undefined {
  if (text.trim() === '') return [];
  try {
    const parsed = JSON.parse(text) as unknown;
    const list = Array.isArray(parsed) ? parsed : (parsed as { data?: unknown } | null)?.data;
    return Array.isArray(list) ? (list as NonNullable<WhatIfInput['prices']>) : undefined; // the server checks each price
  } catch {
    return undefined;
  }
}

/** A past month priced again with other terms, and the reports that were made. */
export default function WhatIfCard() {
  const { t } = useTranslation('whatIf');
  const client = useQueryClient();
  const [opened, setOpened] = useState<number>();
  const runs = useQuery({
    ...apiQuery(whatIfApi.list),
    meta: { quiet: true },
    refetchInterval: ({ state }: { state: { data: WhatIfRun[] | undefined } }) =>
      state.data?.some((run) => run.state === 'running') ? 700 : false,
  });
  const again = () => refresh(client, whatIfApi.list);
  const cancel = useMutation({
    mutationFn: (id: number) => call(whatIfApi.cancel, { params: { id } }),
    onSettled: again,
  });
  const remove = useMutation({
    mutationFn: (id: number) => call(whatIfApi.remove, { params: { id } }),
    onSettled: again,
  });
  const running = runs.data?.find(({ state }) => state === 'running');
  return (
    <Card aria-labelledby="books-what-if">
      <CardHead id="books-what-if" title={t('title')} />
      <div className="grid grid-cols-1 gap-4 px-4 pb-4">
        <p className="max-w-180 text-13 text-text2">{t('text')}</p>
        <Terms
          disabled={running !== undefined}
          onStarted={({ id }) => {
            setOpened(id);
            void again();
          }}
        />
        {running && (
          <div>
            <div role="status" className="mb-1.5 flex items-center gap-2 text-13">
              <span className="tabular-nums">
                {t('progress', { done: formatWhole(running.done), total: formatWhole(running.total) })}
              </span>
              <Button
                size="sm"
                variant="ghost"
                className="ml-auto"
                busy={cancel.isPending}
                onClick={() => cancel.mutate(running.id)}
              >
                {t('cancel')}
              </Button>
            </div>
            <ProgressBar value={running.done} max={running.total} label={t('title')} />
          </div>
        )}
        {runs.data && runs.data.length > 0 && (
          <ul className="text-13" aria-label={t('reports')}>
            {runs.data
              .filter(({ state }) => state !== 'running')
              .map((run) => (
                <li key={run.id} className="border-t border-line">
                  <div className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 py-1.5">
                    <span className="tabular-nums">{run.question.month}</span>
                    <span className="min-w-0 flex-1 basis-40 break-words font-title">
                      {run.question.note || termsOf(run, t)}
                    </span>
                    <span className="text-12 text-text3">
                      {run.actor} · <Time at={run.created_time} />
                    </span>
                    {run.state === 'done' ? (
                      <Button
                        size="sm"
                        aria-expanded={opened === run.id}
                        onClick={() => setOpened((now) => (now === run.id ? undefined : run.id))}
                      >
                        {t(opened === run.id ? 'hide' : 'open')}
                      </Button>
                    ) : (
                      <Status
                        kind={run.state === 'failed' ? 'failed' : 'closed'}
                        text={t(run.state === 'failed' ? 'failed' : 'cancelled')}
                      />
                    )}
                    <Button size="sm" variant="ghost" onClick={() => remove.mutate(run.id)}>
                      {t('remove')}
                    </Button>
                  </div>
                  {opened === run.id && run.state === 'done' && (
                    <div className="pt-1 pb-4">
                      <WhatIfReport run={run} />
                    </div>
                  )}
                </li>
              ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

/** Its terms in a few words, for reports without a name. */
function termsOf({ question }: WhatIfRun, t: ReturnType<typeof useTranslation<'whatIf'>>['t']): string {
  const { base, prices, factor, groups, channels, costs } = question;
  return [
    ...(prices.length > 0 ? [t('termPrices', { total: formatWhole(prices.length) })] : []),
    ...(base === 'current' ? [t('bases.current')] : []),
    ...(factor === 1 ? [] : [t('termFactor', { factor })]),
    ...(groups.length > 0 ? [t('termGroups', { total: formatWhole(groups.length) })] : []),
    ...(channels.length > 0 ? [t('termChannels', { total: formatWhole(channels.length) })] : []),
    ...(costs === 'again' ? [t('costs.again')] : []),
  ].join(' · ');
}

type Ratios = Readonly<Record<string, number | null>>;

function Terms({ disabled, onStarted }: { disabled: boolean; onStarted: (run: WhatIfRun) => void }) {
  const { t } = useTranslation('whatIf');
  const [month, setMonth] = useState(lastMonth);
  const [note, setNote] = useState('');
  const [base, setBase] = useState<(typeof whatIfBases)[number]>('charged');
  const [costs, setCosts] = useState<(typeof whatIfCosts)[number]>('recorded');
  const [factor, setFactor] = useState<number | null>(1);
  const [groups, setGroups] = useState<Ratios>({});
  const [channels, setChannels] = useState<Ratios>({});
  const [draft, setDraft] = useState('');
  const prices = pricesIn(draft);
  const start = useMutation({
    mutationFn: () =>
      call(whatIfApi.start, {
        body: {
          month,
          note,
          base,
          costs,
          time_zone: localTimeZone(),
          factor: factor ?? 1,
          prices: prices ?? [],
          groups: changedIn(groups).map(([symbol, ratio]) => ({ symbol, ratio })),
          channels: changedIn(channels).map(([id, ratio]) => ({ channel_id: Number(id), cost_ratio: ratio })),
        },
      }),
    onSuccess: onStarted,
    meta: { quiet: true },
  });
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-5">
        <Field label={t('month')}>
          {(aria) => (
            <input
              {...aria}
              type="month"
              className="box"
              max={thisMonth()}
              value={month}
              onChange={({ target: { value } }) => value !== '' && setMonth(value)}
            />
          )}
        </Field>
        <Field label={t('base')}>
          {(aria) => (
            <Select
              aria={aria}
              value={base}
              options={whatIfBases.map((value) => ({ value, label: t(`bases.${value}`) }))}
              onChange={setBase}
            />
          )}
        </Field>
        <Field label={t('factor')}>
          {(aria) => (
            <NumberBox aria={aria} inputRef={() => {}} value={factor} onChange={setFactor} onBlur={() => {}} />
          )}
        </Field>
        <Field label={t('costsLabel')}>
          {(aria) => (
            <Select
              aria={aria}
              value={costs}
              options={whatIfCosts.map((value) => ({ value, label: t(`costs.${value}`) }))}
              onChange={setCosts}
            />
          )}
        </Field>
        <Field label={t('note')} optional>
          {(aria) => (
            <input
              {...aria}
              className="box"
              maxLength={200}
              value={note}
              onChange={({ target: { value } }) => setNote(value)}
            />
          )}
        </Field>
      </div>
      <details className="text-13">
        <summary className="text-text2">{t('groups')}</summary>
        <Groups values={groups} onChange={setGroups} />
      </details>
      <details className="text-13">
        <summary className="text-text2">{t('channels')}</summary>
        <Channels values={channels} onChange={setChannels} />
      </details>
      <details className="text-13">
        <summary className="text-text2">{t('prices')}</summary>
        <Draft text={draft} isWrong={prices === undefined} onChange={setDraft} />
      </details>
      {start.error && <Note tone="bad">{start.error.message}</Note>}
      <div>
        <Button busy={start.isPending} disabled={disabled || prices === undefined} onClick={() => start.mutate()}>
          {t('start')}
        </Button>
      </div>
    </div>
  );
}

const changedIn = (ratios: Ratios): [string, number][] =>
  Object.entries(ratios).flatMap(([key, ratio]) => (ratio === null ? [] : [[key, ratio]]));

interface RatiosProps {
  values: Ratios;
  onChange: (values: Ratios) => void;
}

function Groups({ values, onChange }: RatiosProps) {
  const rows = useAllGroups().map(({ symbol, name, ratio }) => ({ key: symbol, name, ratio }));
  return <RatioGrid rows={rows} values={values} onChange={onChange} />;
}

function Channels({ values, onChange }: RatiosProps) {
  const { data } = useQuery({
    ...apiQuery(channelApi.list, { query: { size: 100, order: 'name' } }),
    meta: { quiet: true },
  });
  const rows = data?.data.map(({ id, name, cost_ratio: ratio }) => ({ key: String(id), name, ratio })) ?? [];
  return <RatioGrid rows={rows} values={values} onChange={onChange} />;
}

interface RatioGridProps extends RatiosProps {
  rows: readonly { key: string; name: string; ratio: number | null }[];
}

/** A ratio for each row; an empty one keeps the present ratio, which is its placeholder. */
function RatioGrid({ rows, values, onChange }: RatioGridProps) {
  return (
    <div className="mt-2 grid max-h-90 grid-cols-1 gap-3 overflow-y-auto sm:grid-cols-3 lg:grid-cols-5">
      {rows.map(({ key, name, ratio }) => (
        <Field key={key} label={name}>
          {(aria) => (
            <NumberBox
              aria={aria}
              inputRef={() => {}}
              value={values[key] ?? null}
              placeholder={ratio === null ? '–' : String(ratio)}
              onChange={(value) => onChange({ ...values, [key]: value })}
              onBlur={() => {}}
            />
          )}
        </Field>
      ))}
    </div>
  );
}

function Draft({ text, isWrong, onChange }: { text: string; isWrong: boolean; onChange: (text: string) => void }) {
  const { t } = useTranslation('whatIf');
  const load = useMutation({
    mutationFn: () => call(priceApi.list, { query: { type: 'db' } }),
    onSuccess: (prices) =>
      onChange(
        JSON.stringify(
          prices.map(({ version: _version, valid_from: _from, source: _source, ...price }) => price),
          undefined,
          1,
        ),
      ),
  });
  return (
    <div className="mt-2 grid grid-cols-1 gap-2">
      <Field label={t('pricesLabel')} hint={t('pricesHint')} error={isWrong ? t('pricesWrong') : undefined}>
        {(aria) => (
          <textarea
            {...aria}
            className="box min-h-40 w-full font-mono text-12"
            spellCheck={false}
            value={text}
            onChange={({ target: { value } }) => onChange(value)}
          />
        )}
      </Field>
      <div>
        <Button size="sm" busy={load.isPending} onClick={() => load.mutate()}>
          {t('loadPrices')}
        </Button>
      </div>
    </div>
  );
}

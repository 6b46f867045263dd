import { billApi, billRoles, channelApi, readBill, type BillColumns, type ReadBill } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { Field } from '#ui/form/field.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { Select } from '#ui/form/select.tsx';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { formatWhole } from '#ui/format/number.ts';
import { BillReport } from './bill-report.tsx';

/** A provider's bill, read in the browser and compared with the costs of channels. */
export default function BillCard() {
  const { t } = useTranslation('bill');
  const input = useRef<HTMLInputElement>(null);
  const [fileName, setFileName] = useState('');
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<BillColumns>();
  const [channels, setChannels] = useState<readonly number[]>([]);
  const [zone, setZone] = useState('UTC');
  const [rate, setRate] = useState<number | null>(1);
  const bill = text === '' ? undefined : readBill(text, chosen);
  const compare = useMutation({
    mutationFn: ({ lines }: ReadBill) =>
      call(billApi.compare, {
        body: { lines, channel_ids: [...channels], time_zone: zone, rate: rate ?? 1 },
      }),
    meta: { quiet: true },
  });
  const read = async (file: File | undefined) => {
    if (!file) return;
    compare.reset();
    setChosen(undefined);
    setFileName(file.name);
    setText(await file.text());
  };
  return (
    <Card aria-labelledby="books-bill">
      <CardHead id="books-bill" title={t('title')} />
      <div className="grid grid-cols-1 gap-4 px-4 pb-4">
        <p className="max-w-180 text-13 text-text2">{t('text')}</p>
        <div className="flex flex-wrap items-center gap-3">
          <Button icon={FileUp} onClick={() => input.current?.click()}>
            {t('file')}
          </Button>
          <span className="min-w-0 truncate text-13 text-text2">{fileName}</span>
          <input
            ref={input}
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            aria-label={t('file')}
            tabIndex={-1}
            className="sr-only"
            onChange={({ target }) => {
              void read(target.files?.[0]);
              // The same file can be chosen again.
              target.value = '';
            }}
          />
        </div>
        {text !== '' && !bill && <Note tone="warn">{t('noTable')}</Note>}
        {bill && (
          <>
            <p className="text-13">
              {t('found', {
                format: t(`formats.${bill.format}`),
                rows: formatWhole(bill.rows),
                lines: formatWhole(bill.lines.length),
              })}{' '}
              {bill.skipped > 0 && t('skipped', { rows: formatWhole(bill.skipped) })}
            </p>
            <Columns bill={bill} onChoose={setChosen} />
            <BillChannels value={channels} onChange={setChannels} />
            <div className="grid grid-cols-2 gap-4 sm:max-w-120">
              <Field label={t('zone')}>
                {(aria) => (
                  <Select
                    aria={aria}
                    value={zone}
                    options={[...new Set(['UTC', 'Asia/Shanghai', localTimeZone()])].map((value) => ({
                      value,
                      label: value,
                    }))}
                    onChange={setZone}
                  />
                )}
              </Field>
              <Field label={t('rate')}>
                {(aria) => (
                  <NumberBox aria={aria} inputRef={() => {}} value={rate} onChange={setRate} onBlur={() => {}} />
                )}
              </Field>
            </div>
            <div>
              <Button
                busy={compare.isPending}
                disabled={channels.length === 0 || bill.lines.length === 0}
                onClick={() => compare.mutate(bill)}
              >
                {t('compare')}
              </Button>
            </div>
          </>
        )}
        {compare.error && <Note tone="bad">{compare.error.message}</Note>}
        {compare.data && <BillReport report={compare.data} channel={channels.length === 1 ? (channels[0] ?? 0) : 0} />}
        {compare.data && bill && (
          <Keep bill={bill} terms={{ channel_ids: [...channels], time_zone: zone, rate: rate ?? 1 }} />
        )}
      </div>
    </Card>
  );
}

/** The columns of the file, with their meaning. */
function Columns({ bill, onChoose }: { bill: ReadBill; onChoose: (columns: BillColumns) => void }) {
  const { t } = useTranslation('bill');
  return (
    <details className="text-13" open={bill.columns.date.length === 0}>
      <summary className="text-text2">{t('columns')}</summary>
      <div className="mt-2 grid grid-cols-2 gap-3 sm:grid-cols-3">
        {billRoles.map((role) => (
          <Field key={role} label={t(`roles.${role}`)}>
            {(aria) => (
              <Select
                aria={aria}
                value={bill.columns[role].length > 1 ? ' ' : (bill.columns[role][0] ?? '')}
                options={[
                  { value: '', label: t('noColumn') },
                  ...(bill.columns[role].length > 1 ? [{ value: ' ', label: bill.columns[role].join(' + ') }] : []),
                  ...bill.headings.map((value) => ({ value, label: value })),
                ]}
                onChange={(name) => name !== ' ' && onChoose({ ...bill.columns, [role]: name === '' ? [] : [name] })}
              />
            )}
          </Field>
        ))}
      </div>
    </details>
  );
}

interface KeepProps {
  bill: ReadBill;
  terms: { channel_ids: number[]; time_zone: string; rate: number };
}

/** Keeps the lines of one month of the file. */
function Keep({ bill: { lines }, terms }: KeepProps) {
  const { t } = useTranslation('bill');
  const client = useQueryClient();
  const months = [...new Set(lines.map(({ date }) => date.slice(0, 7)))].toSorted();
  const [provider, setProvider] = useState('');
  const [month, setMonth] = useState(months.at(-1) ?? '');
  const keep = useMutation({
    mutationFn: () => {
      const body = { ...terms, provider, month, lines: lines.filter(({ date }) => date.startsWith(month)) };
      return call(billApi.save, { body });
    },
    onSettled: () => refresh(client, billApi.list),
    meta: { quiet: true },
  });
  return (
    <div className="grid grid-cols-1 items-end gap-4 sm:grid-cols-[1fr_12rem_auto] sm:max-w-180">
      <Field label={t('keepAs')}>
        {(aria) => (
          <input
            {...aria}
            className="box"
            maxLength={60}
            value={provider}
            onChange={({ target: { value } }) => setProvider(value)}
          />
        )}
      </Field>
      <Field label={t('month')}>
        {(aria) => (
          <Select
            aria={aria}
            value={month}
            options={months.map((value) => ({ value, label: value }))}
            onChange={setMonth}
          />
        )}
      </Field>
      <Button busy={keep.isPending} disabled={provider.trim() === ''} onClick={() => keep.mutate()}>
        {t('keep')}
      </Button>
      {keep.error && (
        <div className="sm:col-span-3">
          <Note tone="bad">{keep.error.message}</Note>
        </div>
      )}
      {keep.data && <p className="text-13 sm:col-span-3">{t('kept', { provider: keep.data.provider, month })}</p>}
    </div>
  );
}

interface ChannelsProps {
  value: readonly number[];
  onChange: (value: readonly number[]) => void;
}

/** The channels that a bill is for. */
export function BillChannels({ value, onChange }: ChannelsProps) {
  const { t } = useTranslation('bill');
  const { data } = useQuery({
    ...apiQuery(channelApi.list, { query: { size: 100, order: 'name' } }),
    meta: { quiet: true },
  });
  return (
    <fieldset>
      <legend className="mb-1.5 text-13 font-title">{t('channels')}</legend>
      <div className="grid max-h-66 grid-cols-[repeat(auto-fill,minmax(min(100%,15rem),1fr))] gap-x-4 overflow-y-auto text-13">
        {data?.data.map(({ id, name }) => (
          <label key={id} className="flex min-h-8 min-w-0 items-center gap-2 wrap-anywhere max-sm:min-h-11">
            <Checkbox
              checked={value.includes(id)}
              onChange={(checked) => onChange(checked ? [...value, id] : value.filter((each) => each !== id))}
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

import {
  billApi,
  billRoles,
  channelApi,
  readBill,
  type BillColumns,
  type BillReport,
  type ComparedLine,
  type ReadBill,
} from '@relay-hub/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Note } from '#ui/feedback/note.tsx';
import { Field } from '#ui/form/field.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { Select } from '#ui/form/select.tsx';
import { formatDollars } from '#ui/format/money.ts';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { formatWhole, minus } from '#ui/format/number.ts';
import { customRange } from '#ui/table/filter.ts';

const shownLines = 50;

/** A provider's bill, read in the browser and compared with the costs of channels. */
export default function BillCard() {
  const { t } = useTranslation('bill');
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<BillColumns>();
  const [channels, setChannels] = useState<readonly number[]>([]);
  const [zone, setZone] = useState('UTC');
  const [rate, setRate] = useState<number | null>(1);
  const bill = text === '' ? undefined : readBill(text, chosen);
  const list = useQuery({
    ...apiQuery(channelApi.list, { query: { size: 100, order: 'name' } }),
    enabled: text !== '',
    meta: { quiet: true },
  });
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
    setText(await file.text());
  };
  return (
    <Card aria-labelledby="books-bill">
      <CardHead id="books-bill" title={t('title')} />
      <div className="grid grid-cols-1 gap-4 px-4 pb-4">
        <p className="max-w-180 text-13 text-text2">{t('text')}</p>
        <Field label={t('file')}>
          {(aria) => (
            <input
              {...aria}
              type="file"
              accept=".csv,.tsv,.txt,text/csv"
              className="block w-full text-13"
              onChange={({ target: { files } }) => void read(files?.[0])}
            />
          )}
        </Field>
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
            <fieldset>
              <legend className="mb-1.5 text-13 font-title">{t('channels')}</legend>
              <div className="grid max-h-66 grid-cols-1 gap-x-4 overflow-y-auto text-13 sm:grid-cols-2 lg:grid-cols-4">
                {list.data?.data.map(({ id, name }) => (
                  <label key={id} className="flex min-h-8 min-w-0 items-center gap-2 break-all max-sm:min-h-11">
                    <input
                      type="checkbox"
                      checked={channels.includes(id)}
                      onChange={({ target: { checked } }) =>
                        setChannels((now) => (checked ? [...now, id] : now.filter((each) => each !== id)))
                      }
                    />
                    {name}
                  </label>
                ))}
              </div>
            </fieldset>
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
                variant="primary"
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
        {compare.data && <Report report={compare.data} channel={channels.length === 1 ? (channels[0] ?? 0) : 0} />}
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

const money = (dollars: number | null): string =>
  dollars === null ? '–' : (dollars < 0 ? minus : '') + formatDollars(Math.abs(dollars));
const head = 'h-8 border-b border-line bg-sunk px-3 text-12 font-normal text-text2 whitespace-nowrap';
const cell = 'border-b border-line px-3 py-2 tabular-nums whitespace-nowrap align-top';

function Report({ report, channel }: { report: BillReport; channel: number }) {
  const { t } = useTranslation('bill');
  const [all, setAll] = useState(false);
  const differing = report.lines.filter(({ cause }) => cause !== 'none');
  const shown = (all ? report.lines : differing).slice(0, shownLines);
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="text-13 tabular-nums">
        {t('sums', {
          from: report.from,
          to: report.to,
          bill: money(report.bill),
          ours: money(report.ours),
          difference: money(report.bill - report.ours),
        })}
      </p>
      <ul className="flex flex-wrap gap-x-5 gap-y-1 text-13 text-text2 tabular-nums">
        {report.causes.map(({ cause, lines, difference }) => (
          <li key={cause}>
            {t('causeSum', { cause: t(`causes.${cause}`), lines: formatWhole(lines), difference: money(difference) })}
          </li>
        ))}
      </ul>
      {shown.length === 0 ? (
        <Note>{t('equal')}</Note>
      ) : (
        <div
          role="group"
          aria-label={t('title')}
          tabIndex={0}
          className="overflow-x-auto rounded-card border border-line"
        >
          <table className="w-full border-separate border-spacing-0 text-13 [&_tr:last-child>*]:border-b-0">
            <thead>
              <tr>
                {(['date', 'model', 'bill', 'ours', 'difference', 'cause'] as const).map((name, at) => (
                  <th
                    key={name}
                    scope="col"
                    className={cx(head, at === 2 || at === 3 || at === 4 ? 'text-right' : 'text-left')}
                  >
                    {t(`heads.${name}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((line) => (
                <Row key={`${line.date} ${line.model}`} line={line} channel={channel} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className="flex flex-wrap items-center gap-3 text-12 text-text3">
        {report.line_count > differing.length && (
          <Button size="sm" variant="ghost" onClick={() => setAll((now) => !now)}>
            {t(all ? 'onlyDiffering' : 'showAll')}
          </Button>
        )}
        {(all ? report.line_count : differing.length) > shown.length && t('first', { shown: shown.length })}
      </div>
    </div>
  );
}

function Row({ line, channel }: { line: ComparedLine; channel: number }) {
  const { t } = useTranslation('bill');
  const { date, model, models, bill, ours, difference, cause, factor } = line;
  const requests = (of: number | null) => (of === null ? '' : t('requests', { total: formatWhole(of) }));
  return (
    <tr>
      <td className={cell}>{date}</td>
      <th scope="row" className={`${cell} text-left font-normal`}>
        {models.length === 0 ? (
          model
        ) : (
          <Link
            to="/panel/log"
            search={{
              model_name: models[0] ?? '',
              log_type: 2,
              time: customRange(date, date),
              ...(channel > 0 && { channel_id: channel }),
            }}
            className="text-accent hover:underline"
            aria-label={t('openRows', { model, date })}
          >
            {model}
          </Link>
        )}
      </th>
      <td className={`${cell} text-right`}>
        {money(bill.cost)}
        <span className="block text-12 text-text3">{requests(bill.requests)}</span>
      </td>
      <td className={`${cell} text-right`}>
        {money(ours.cost)}
        <span className="block text-12 text-text3">{requests(ours.requests)}</span>
      </td>
      <td className={cx(cell, 'text-right', cause !== 'none' && cause !== 'rounding' && 'font-title')}>
        {money(difference)}
      </td>
      <td className={`${cell} min-w-60 whitespace-normal!`}>
        {t(`causes.${cause}`)}
        <span className="block text-12 text-text3">{t(`why.${cause}`)}</span>
        {cause === 'price' && factor !== null && (
          <span className="block text-12">
            {t('factor', { factor })}{' '}
            {channel > 0 && (
              <Link to="/panel/channel" search={{ edit: String(channel) }} className="text-accent hover:underline">
                {t('setPrice')}
              </Link>
            )}
          </span>
        )}
      </td>
    </tr>
  );
}

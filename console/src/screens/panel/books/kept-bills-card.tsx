import { billApi, type BillSource, billSourceApi, type KeptBill } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useSession } from '#api/session.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Field } from '#ui/form/field.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { formatDate } from '#ui/format/time.ts';
import { Time } from '#ui/format/time.tsx';
import { BillReport, money } from './bill-report.tsx';

const SourceDialog = lazy(() => import('./bill-source-dialog.tsx'));

/** Months of bills that were kept, and accounts to fetch them from. */
export default function KeptBillsCard() {
  const { t } = useTranslation('bill');
  const [opened, setOpened] = useState<number>();
  const { data, error } = useQuery({ ...apiQuery(billApi.list), meta: { quiet: true } });
  return (
    <Card aria-labelledby="books-kept">
      <CardHead id="books-kept" title={t('keptTitle')} />
      <div className="grid grid-cols-1 gap-4 px-4 pb-4">
        <p className="max-w-180 text-13 text-text2">{t('keptText')}</p>
        <Sources />
        {error && <Note tone="bad">{error.message}</Note>}
        {data?.length === 0 && <p className="text-13 text-text3">{t('keptNone')}</p>}
        {data && data.length > 0 && (
          <ul className="text-13" aria-label={t('keptTitle')}>
            {data.map((bill) => (
              <li key={bill.id} className="border-t border-line">
                <BillRow
                  bill={bill}
                  isOpen={opened === bill.id}
                  onOpen={() => setOpened((now) => (now === bill.id ? undefined : bill.id))}
                />
                {opened === bill.id && <OpenedBill bill={bill} />}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

function BillRow({ bill, isOpen, onOpen }: { bill: KeptBill; isOpen: boolean; onOpen: () => void }) {
  const { t } = useTranslation('bill');
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const { id, provider, month, closed, events } = bill;
  const remove = useMutation({
    mutationFn: () => call(billApi.remove, { params: { id } }),
    onSettled: () => refresh(client, billApi.list),
  });
  const last = events.findLast(({ act }) => act === 'closed');
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 py-1.5">
      <span className="tabular-nums">{month}</span>
      <span className="min-w-0 flex-1 basis-36 break-words font-title">{provider}</span>
      <span className="text-text2 tabular-nums">
        {t('keptSums', { bill: money(bill.bill), ours: money(bill.ours), difference: money(bill.bill - bill.ours) })}
      </span>
      {closed ? (
        <Status kind="done" text={t('closed', { actor: last?.actor ?? '' })} />
      ) : (
        <Status kind="pending" text={t('open')} />
      )}
      <span className="flex gap-2">
        <Button size="sm" aria-expanded={isOpen} onClick={onOpen}>
          {t(isOpen ? 'hide' : 'show')}
        </Button>
        <Button size="sm" onClick={() => setAsking(true)}>
          {t(closed ? 'reopen' : 'close')}
        </Button>
        {!closed && (
          <Button size="sm" variant="ghost" busy={remove.isPending} onClick={() => remove.mutate()}>
            {t('remove')}
          </Button>
        )}
      </span>
      {asking && <CloseDialog bill={bill} onClose={() => setAsking(false)} />}
    </div>
  );
}

/** Closes a bill with a note, or reopens it with a reason. */
function CloseDialog({ bill: { id, provider, month, closed }, onClose }: { bill: KeptBill; onClose: () => void }) {
  const { t } = useTranslation(['bill', 'shared']);
  const client = useQueryClient();
  const [note, setNote] = useState('');
  const change = useMutation({
    mutationFn: () => call(closed ? billApi.reopen : billApi.close, { params: { id }, body: { note } }),
    onSettled: () => refresh(client, billApi.list, billApi.get),
    meta: { quiet: true },
  });
  const verb = closed ? 'reopen' : 'close';
  return (
    <Dialog
      title={t(`${verb}Title`, { provider, month })}
      text={t(`${verb}Text`)}
      width={440}
      onClose={onClose}
      footer={(shut) => (
        <>
          <Button onClick={shut}>{t('shared:cancel')}</Button>
          <Button
            variant="primary"
            busy={change.isPending}
            disabled={closed && note.trim() === ''}
            onClick={() => void change.mutateAsync().then(shut, () => undefined)} // the error is shown above
          >
            {t(verb)}
          </Button>
        </>
      )}
    >
      <Field label={t(closed ? 'reason' : 'note')} optional={!closed} error={change.error?.message}>
        {(aria) => (
          <textarea
            {...aria}
            rows={3}
            maxLength={2000}
            className="box block py-2"
            value={note}
            onChange={({ target: { value } }) => setNote(value)}
          />
        )}
      </Field>
    </Dialog>
  );
}

function OpenedBill({ bill: { id, events, channel_ids: channels } }: { bill: KeptBill }) {
  const { t } = useTranslation('bill');
  const { data, error } = useQuery({ ...apiQuery(billApi.get, { params: { id } }), meta: { quiet: true } });
  return (
    <div className="grid grid-cols-1 gap-3 pb-4">
      <ul className="text-12 text-text2">
        {events.map(({ act, time, actor, note }) => (
          <li key={`${act} ${time}`} className="break-words">
            <Time at={time} /> {t(actor === '' ? 'acts.fetched' : `acts.${act}`, { actor })}
            {note !== '' && `: ${note}`}
          </li>
        ))}
      </ul>
      {error && <Note tone="bad">{error.message}</Note>}
      {data && <BillReport report={data.report} channel={channels.length === 1 ? (channels[0] ?? 0) : 0} />}
    </div>
  );
}

/** Accounts whose bill is fetched with an admin key. */
function Sources() {
  const { t } = useTranslation('bill');
  const { isRoot } = useSession();
  const [edited, setEdited] = useState<BillSource | 'new'>();
  const [month, setMonth] = useState(() => formatDate(Math.floor(Date.now() / 1000)).slice(0, 7));
  const { data } = useQuery({ ...apiQuery(billSourceApi.list), meta: { quiet: true } });
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-end gap-3">
        {data && data.length > 0 && (
          <Field label={t('month')}>
            {(aria) => (
              <input
                {...aria}
                type="month"
                className="box w-44"
                value={month}
                onChange={({ target: { value } }) => value !== '' && setMonth(value)}
              />
            )}
          </Field>
        )}
        {isRoot && <Button onClick={() => setEdited('new')}>{t('sourceAdd')}</Button>}
      </div>
      {data && data.length > 0 && (
        <ul className="text-13" aria-label={t('sources')}>
          {data.map((source) => (
            <SourceRow key={source.id} {...{ source, month }} onEdit={isRoot ? () => setEdited(source) : undefined} />
          ))}
        </ul>
      )}
      {edited && (
        <Suspense>
          <SourceDialog source={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
        </Suspense>
      )}
    </div>
  );
}

interface SourceRowProps {
  source: BillSource;
  month: string;
  onEdit: (() => void) | undefined;
}

function SourceRow({ source, month, onEdit }: SourceRowProps) {
  const { t } = useTranslation('bill');
  const client = useQueryClient();
  const { id, name, vendor, key_hint: hint, fetched_time: fetched, last_error: failure } = source;
  const load = useMutation({
    mutationFn: () => call(billSourceApi.fetch, { params: { id }, body: { month } }),
    onSettled: () => refresh(client, billApi.list, billApi.get, billSourceApi.list),
    meta: { quiet: true },
  });
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 border-t border-line py-1.5">
      <span className="min-w-0 flex-1 basis-36 break-words">
        <span className="font-title">{name}</span>{' '}
        <span className="text-text3">
          {t(`formats.${vendor}`)} · {hint}
        </span>
      </span>
      {fetched > 0 && (
        <span className="text-12 text-text3">
          {t('fetched')} <Time at={fetched} />
        </span>
      )}
      <span className="flex gap-2">
        <Button size="sm" busy={load.isPending} onClick={() => load.mutate()}>
          {t('fetch')}
        </Button>
        {onEdit && (
          <Button size="sm" variant="ghost" onClick={onEdit}>
            {t('edit')}
          </Button>
        )}
      </span>
      {(load.error || failure !== '') && !load.isPending && (
        <div className="basis-full">
          <Note tone="bad">{load.error?.message ?? t('fetchFailed', { reason: failure })}</Note>
        </div>
      )}
    </li>
  );
}

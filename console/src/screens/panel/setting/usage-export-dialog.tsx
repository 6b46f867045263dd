import {
  type BillingSystem,
  billingSystems,
  type UsageExport,
  usageExportApi,
  type UsageMeasure,
  usageMeasures,
} from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';

const kinds = Object.keys(billingSystems) as BillingSystem[]; // its keys
const openMeter = 'https://openmeter.cloud/api/v1/events';
const events = { cloudevents: 'relay-hub.usage', lago: 'relay_hub_usage', stripe: 'relay_hub_usage' };

/** A billing system: kind, address, key, and what it calls the usage. */
export default function ExportDialog({ row, onClose }: { row: UsageExport | undefined; onClose: () => void }) {
  const { t } = useTranslation('usageExport');
  const client = useQueryClient();
  const [kind, setKind] = useState<BillingSystem>(row?.kind ?? 'cloudevents');
  const [measure, setMeasure] = useState<UsageMeasure>(row?.measure ?? 'credits');
  const [enabled, setEnabled] = useState(row?.enabled ?? true);
  const [texts, setTexts] = useState({
    name: row?.name ?? '',
    address: row?.address ?? '',
    key: '',
    event: row?.event ?? '',
    secret: '',
  });
  const [since, setSince] = useState('');
  const save = useMutation({
    mutationFn: () => {
      const body = { ...texts, event: texts.event.trim() || events[kind], measure, enabled };
      return row
        ? call(usageExportApi.update, { params: { id: row.id }, body })
        : call(usageExportApi.create, { body: { ...body, kind, ...(since !== '' && { since }) } });
    },
    onSettled: () => refresh(client, usageExportApi.list),
    meta: { quiet: true },
  });
  const problem = save.error instanceof ApiError ? save.error : undefined;
  const isCloud = kind === 'cloudevents';
  const names = ['name', 'address', 'key', 'event', ...(isCloud ? (['secret'] as const) : [])] as const;
  const placeholders = {
    name: '',
    address: billingSystems[kind] || openMeter,
    key: row?.key_hint ?? '',
    event: events[kind],
    secret: row?.signed ? '••••••••' : 'whsec_…',
  };
  const isReady =
    texts.name.trim() !== '' &&
    (texts.address.trim() !== '' || !isCloud) &&
    (row !== undefined || isCloud || texts.key.trim() !== '');
  return (
    <Dialog
      title={t(row ? 'editTitle' : 'addTitle')}
      text={t(`about.${kind}`)}
      onClose={onClose}
      footer={(close) => (
        <Button
          variant="primary"
          busy={save.isPending}
          disabled={!isReady}
          onClick={() => void save.mutateAsync().then(close, () => undefined)} // the error is shown above
        >
          {t('save')}
        </Button>
      )}
    >
      <div className="grid grid-cols-1 gap-4">
        {!row && (
          <Field label={t('kind')}>
            {(aria) => (
              <Select
                aria={aria}
                value={kind}
                options={kinds.map((value) => ({ value, label: t(`kinds.${value}`) }))}
                onChange={setKind}
              />
            )}
          </Field>
        )}
        {names.map((name) => (
          <Field
            key={name}
            label={t(name === 'event' ? `events.${kind}` : `fields.${name}`)}
            hint={name === 'secret' ? t('secretHint') : undefined}
            optional={name === 'secret' || (name === 'key' && isCloud) || (name === 'address' && !isCloud)}
            error={problem?.field === name ? problem.message : undefined}
          >
            {(aria) => (
              <input
                {...aria}
                className="box"
                autoComplete="off"
                type={name === 'key' || name === 'secret' ? 'password' : 'text'}
                placeholder={placeholders[name]}
                value={texts[name]}
                onChange={({ target: { value } }) => setTexts((now) => ({ ...now, [name]: value }))}
              />
            )}
          </Field>
        ))}
        {kind === 'stripe' && (
          <Field label={t('measure')}>
            {(aria) => (
              <Select
                aria={aria}
                value={measure}
                options={usageMeasures.map((value) => ({ value, label: t(`measures.${value}`) }))}
                onChange={setMeasure}
              />
            )}
          </Field>
        )}
        {row ? (
          <div className="flex items-center gap-3 text-13">
            <Switch label={t('enabled')} checked={enabled} onChange={setEnabled} />
            {t('enabled')}
          </div>
        ) : (
          <Field
            label={t('since')}
            optional
            hint={t('sinceHint')}
            error={problem?.field === 'since' ? problem.message : undefined}
          >
            {(aria) => (
              <input
                {...aria}
                type="date"
                className="box w-44"
                value={since}
                onChange={({ target: { value } }) => setSince(value)}
              />
            )}
          </Field>
        )}
        {save.error && !names.some((name) => name === problem?.field) && problem?.field !== 'since' && (
          <Note tone="bad">{save.error.message}</Note>
        )}
      </div>
    </Dialog>
  );
}

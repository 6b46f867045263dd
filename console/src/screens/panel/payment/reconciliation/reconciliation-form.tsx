import { LARGEST_STATEMENT, type PaymentGateway } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { CloudDownload, FileUp } from 'lucide-react';
import { useId, useRef, useState, type DragEvent } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { GatewayTile } from '#domain/payment/gateway-tile.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { formatDate } from '#ui/format/time.ts';
import { gatewayTypes } from '#screens/panel/payment/payment-api.ts';
import { statementText } from './statement-text.ts';

export interface Statement {
  gatewayId: number;
  /** Local dates, both inclusive. */
  from: string;
  to: string;
  /** Empty: fetched from the gateway. */
  csv: string;
}

interface Props {
  gateways: readonly PaymentGateway[];
  busy: boolean;
  onCompare: (statement: Statement) => void;
}

const daySeconds = 86_400;
const firstDays = 7;
const daysAgo = (days: number) => formatDate(Date.now() / 1000 - days * daySeconds);

/** Gateway, period and statement; choosing a file compares it at once. */
export function ReconciliationForm({ gateways, busy, onCompare }: Props) {
  const { t } = useTranslation(['reconciliation', 'payment']);
  const types = useQuery(gatewayTypes).data;
  const [chosen, setChosen] = useState(gateways[0]?.id ?? 0);
  const [from, setFrom] = useState(daysAgo(firstDays));
  const [to, setTo] = useState(daysAgo(1));
  const gateway = gateways.find(({ id }) => id === chosen) ?? gateways[0];
  const sources = types?.find(({ type }) => type === gateway?.type)?.statements ?? [];
  const isPeriod = from !== '' && to !== '' && from <= to;
  const compare = (csv: string) => gateway && onCompare({ gatewayId: gateway.id, from, to, csv });
  return (
    <Card className="grid grid-cols-1 gap-4 p-4">
      <div className="grid grid-cols-[minmax(0,320px)_176px_176px] items-start gap-4 max-sm:grid-cols-2">
        <Field label={t('payment:gateway')} className="max-sm:col-span-2">
          {(aria) => (
            <Select
              aria={aria}
              value={gateway?.id ?? null}
              onChange={setChosen}
              options={gateways.map(({ id, name, type, icon, currency }) => ({
                value: id,
                label: name,
                note: currency,
                tile: <GatewayTile name={name} type={type} icon={icon} size={20} />,
              }))}
            />
          )}
        </Field>
        <DateField label={t('from')} value={from} onChange={setFrom} />
        <DateField label={t('to')} value={to} onChange={setTo} error={isPeriod ? undefined : t('badPeriod')} />
      </div>
      {types && (
        <div className="flex flex-wrap items-stretch gap-4 max-sm:flex-col">
          {sources.includes('csv') && <StatementFile disabled={!isPeriod || busy} onText={compare} />}
          {sources.includes('api') && (
            <div className="flex min-w-0 flex-1 flex-col sm:basis-72 items-start justify-center gap-2 rounded-card border border-line p-4">
              <p className="text-13 text-text2">
                {t(sources.includes('csv') ? 'orFetchText' : 'fetchText', { name: gateway?.name })}
              </p>
              <Button icon={CloudDownload} saves busy={busy} disabled={!isPeriod} onClick={() => compare('')}>
                {t('fetch', { name: gateway?.name })}
              </Button>
            </div>
          )}
          {sources.length === 0 && <p className="text-13 text-text2">{t('noStatement', { name: gateway?.name })}</p>}
        </div>
      )}
    </Card>
  );
}

interface DateFieldProps {
  label: string;
  value: string;
  onChange: (date: string) => void;
  error?: string | undefined;
}

function DateField({ label, value, onChange, error }: DateFieldProps) {
  return (
    <Field label={label} error={error}>
      {(aria) => (
        <input {...aria} type="date" className="box" value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}

/** A place to drop or choose a CSV file, which is read in the browser. */
function StatementFile({ disabled, onText }: { disabled: boolean; onText: (csv: string) => void }) {
  const { t } = useTranslation('reconciliation');
  const [problem, setProblem] = useState('');
  const [name, setName] = useState('');
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const below = useId();
  const read = async (file: File | undefined) => {
    if (!file || disabled) return;
    setName(file.name);
    const text = statementText(new Uint8Array(await file.arrayBuffer()));
    const isTooLarge = text.length > LARGEST_STATEMENT;
    setProblem(
      isTooLarge ? t('tooLarge', { most: formatWhole(LARGEST_STATEMENT) }) : text.trim() === '' ? t('emptyFile') : '',
    );
    if (!isTooLarge && text.trim() !== '') onText(text);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void read(event.dataTransfer.files[0]);
  };
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      className={cx(
        'flex min-w-0 flex-1 flex-col sm:basis-72 items-start justify-center gap-2 rounded-card border border-dashed p-4',
        over ? 'border-accent bg-accent-soft' : 'border-line2',
      )}
    >
      <p id={below} className="text-13 text-text2">
        {t('fileText')}
      </p>
      <div className="flex max-w-full flex-wrap items-center gap-3">
        <Button icon={FileUp} saves disabled={disabled} aria-describedby={below} onClick={() => input.current?.click()}>
          {t('chooseFile')}
        </Button>
        {name !== '' && <span className="truncate text-13 text-text2">{name}</span>}
      </div>
      <input
        ref={input}
        type="file"
        accept=".csv,.txt,text/csv,text/plain"
        aria-label={t('chooseFile')}
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          void read(event.target.files?.[0]);
          // The same file can be chosen again.
          event.target.value = '';
        }}
      />
      {problem !== '' && (
        <p role="alert" className="flex items-start gap-1.5 text-12 text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}

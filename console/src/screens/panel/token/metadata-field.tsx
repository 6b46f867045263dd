import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useController, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { FieldBelow } from '#ui/form/field.tsx';
import { useFieldMessage } from '#ui/form/use-field-message.ts';
import type { TokenInput, TokenValues } from './token-rules.ts';

type Value = string | number | boolean | null;
interface Row {
  key: string;
  value: Value;
}

const LONGEST_KEY = 64;
const LONGEST_VALUE = 500;
const MOST_ROWS = 50;

/** Keys and values that the owner keeps with a token. Rows without a key are not saved. */
export function MetadataField({ control }: { control: Control<TokenInput, unknown, TokenValues> }) {
  const { t } = useTranslation('token');
  const { field, fieldState } = useController({ control, name: 'metadata' });
  const message = useFieldMessage();
  // Kept here, because two rows can have the same key while one is being typed.
  const [rows, setRows] = useState<readonly Row[]>(() =>
    Object.entries(field.value ?? {}).map(([key, value]) => ({ key, value })),
  );
  const put = (next: readonly Row[]) => {
    setRows(next);
    const named = next.map(({ key, value }) => ({ key: key.trim(), value })).filter(({ key }) => key !== '');
    field.onChange(Object.fromEntries(named.map(({ key, value }) => [key, value])));
  };
  const change = (at: number, part: Partial<Row>) => put(rows.map((row, i) => (i === at ? { ...row, ...part } : row)));
  return (
    <fieldset className="grid grid-cols-1 gap-2">
      <legend className="mb-1.5 text-13 font-title">
        {t('metadata')} <span className="font-normal text-text3">· {t('metadataOptional')}</span>
      </legend>
      {rows.map(({ key, value }, at) => (
        <div key={at} className="grid grid-cols-[minmax(0,1fr)_minmax(0,1.5fr)_auto] items-center gap-2">
          <input
            className="box font-mono text-13"
            aria-label={t('metadataKey', { number: at + 1 })}
            placeholder={t('metadataKeyHint')}
            maxLength={LONGEST_KEY}
            autoComplete="off"
            value={key}
            onChange={(event) => change(at, { key: event.target.value })}
            onBlur={field.onBlur}
          />
          <input
            className="box text-13"
            aria-label={t('metadataValue', { number: at + 1 })}
            maxLength={LONGEST_VALUE}
            autoComplete="off"
            value={String(value ?? 'null')}
            onChange={(event) => change(at, { value: event.target.value })}
            onBlur={field.onBlur}
          />
          <IconButton
            label={t('metadataRemove', { name: key || String(at + 1) })}
            icon={X}
            onClick={() => put(rows.filter((_, i) => i !== at))}
          />
        </div>
      ))}
      <div>
        <Button
          icon={Plus}
          size="sm"
          disabled={rows.length >= MOST_ROWS}
          onClick={() => setRows([...rows, { key: '', value: '' }])}
        >
          {t('metadataAdd')}
        </Button>
      </div>
      <FieldBelow id="metadata-below" hint={t('metadataHint')} error={message(fieldState.error?.message)} />
    </fieldset>
  );
}

import { keptSecret, parseTextMap } from '@relay-hub/contract';
import { Plus, X } from 'lucide-react';
import { useId, useState } from 'react';
import type { Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { FieldBelow } from '#ui/form/field.tsx';
import { useFormField } from '#ui/form/use-form-field.ts';
import type { ChannelBody, ChannelValues } from './channel-values.ts';
import { SecretBox } from './secret-box.tsx';

type Row = readonly [name: string, value: string];

const rowsOf = (json: string): Row[] => Object.entries(parseTextMap(json) ?? {});
const jsonOf = (rows: readonly Row[]): string => {
  const named = rows.filter(([name, value]) => name.trim() !== '' || value !== '');
  return named.length === 0
    ? ''
    : JSON.stringify(Object.fromEntries(named.map(([name, value]) => [name.trim(), value])));
};

/** Headers line by line; the form holds JSON text. Stored values are hidden and can be replaced. */
export function HeadersField({ control }: { control: Control<ChannelValues, unknown, ChannelBody> }) {
  const { t } = useTranslation(['channelForm', 'shared']);
  const below = useId();
  const { value, change, blur, ref, shell } = useFormField({
    control,
    name: 'model_headers',
    label: t('form.headers'),
    hint: t('form.headersHint'),
  });
  // Incomplete rows live only here; a value set by other code replaces them.
  const [rows, setRows] = useState(() => rowsOf(String(value)));
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    setRows(rowsOf(String(value)));
  }
  const set = (next: readonly Row[]) => {
    const json = jsonOf(next);
    setRows([...next]);
    setKnown(json);
    change(json);
  };
  const put = (index: number, row: Row) => set(rows.map((each, i) => (i === index ? row : each)));
  return (
    <fieldset className="min-w-0" onBlur={blur} aria-describedby={below}>
      <legend className="mb-1.5 text-13">
        <span className="font-title">{shell.label}</span>
        <span className="text-text3"> · {t('shared:optional')}</span>
      </legend>
      <div className="grid grid-cols-1 gap-2">
        {rows.map(([name, content], index) => (
          <div key={index} className="flex gap-2">
            <input
              ref={index === 0 ? ref : undefined}
              aria-label={t('form.headerName')}
              aria-invalid={shell.error !== undefined}
              placeholder="x-team"
              autoComplete="off"
              value={name}
              onChange={(event) => put(index, [event.target.value, content])}
              className="box min-w-0 flex-[2] font-mono text-13"
            />
            <SecretBox
              label={t('form.headerValue')}
              value={content}
              stored={content === keptSecret}
              onChange={(next) => put(index, [name, next])}
              className="min-w-0 flex-[3]"
            />
            <IconButton
              label={t('form.headerRemove', { name })}
              icon={X}
              onClick={() => set(rows.filter((_, i) => i !== index))}
            />
          </div>
        ))}
        <Button size="sm" icon={Plus} className="w-fit" onClick={() => setRows((now) => [...now, ['', '']])}>
          {t('form.headerAdd')}
        </Button>
      </div>
      <FieldBelow id={below} hint={shell.hint} error={shell.error} />
    </fieldset>
  );
}

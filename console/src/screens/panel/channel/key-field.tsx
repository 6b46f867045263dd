import { useEffect, useRef, useState, type ClipboardEvent } from 'react';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Field } from '#shared/field.tsx';
import { FormPassword, FormTextarea } from '#shared/form-text.tsx';
import { Switch } from '#shared/switch.tsx';
import { useFormField } from '#shared/use-form-field.ts';
import { keysIn, type ChannelBody, type ChannelValues } from './channel-values.ts';

interface Props {
  control: Control<ChannelValues, unknown, ChannelBody>;
  /** The ends of the stored key; undefined for a new channel. */
  hint: string | undefined;
  several: boolean;
  onSeveral: (several: boolean) => void;
}

/** A key goes in and never comes out: a stored one can only be replaced. */
export function KeyField({ control, hint, several, onSeveral }: Props) {
  const [replacing, setReplacing] = useState(false);
  const { shell } = useFormField({ control, name: 'key', label: '' });
  // A stored key goes to no other address, so the server may ask for one again.
  if (shell.error !== undefined && !replacing) setReplacing(true);
  if (hint === undefined) return <NewKey control={control} several={several} onSeveral={onSeveral} />;
  if (replacing) return <Replacement control={control} onKeep={() => setReplacing(false)} />;
  return <StoredKey hint={hint} onReplace={() => setReplacing(true)} />;
}

function StoredKey({ hint, onReplace }: { hint: string; onReplace: () => void }) {
  const { t } = useTranslation('channel');
  return (
    <Field label={t('form.key')} hint={t('form.keyStored')}>
      {(aria) => (
        <div className="relative">
          <input {...aria} readOnly value={hint} className="box pr-20 font-mono text-13" />
          <button
            type="button"
            onClick={onReplace}
            className="touch absolute top-1/2 right-1 h-7 -translate-y-1/2 rounded-tile px-2 text-13 text-accent hover:underline"
          >
            {t('form.replace')}
          </button>
        </div>
      )}
    </Field>
  );
}

function Replacement({ control, onKeep }: Pick<Props, 'control'> & { onKeep: () => void }) {
  const { t } = useTranslation('channel');
  const { change } = useFormField({ control, name: 'key', label: '' });
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.querySelector('input')?.focus(), []);
  const keep = () => {
    change('');
    onKeep();
  };
  return (
    <div ref={frame} className="min-w-0">
      <FormPassword
        control={control}
        name="key"
        label={t('form.newKey')}
        autoComplete="off"
        aside={
          <button type="button" onClick={keep} className="touch rounded-tile text-13 text-accent hover:underline">
            {t('form.keepKey')}
          </button>
        }
      />
    </div>
  );
}

function NewKey({ control, several, onSeveral }: Omit<Props, 'hint'>) {
  const { t } = useTranslation('channel');
  const { value, change } = useFormField({ control, name: 'key', label: '' });
  const keys = keysIn(String(value));
  // A line of text would run the keys together.
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text');
    if (several || keysIn(pasted).length < 2) return;
    event.preventDefault();
    change(pasted);
    onSeveral(true);
  };
  const aside = (
    <label className="flex items-center gap-2 text-text2">
      {t('form.several')}
      <Switch checked={several} disabled={keys.length > 1} onChange={onSeveral} />
    </label>
  );
  return (
    <div onPaste={onPaste} className="min-w-0">
      {several ? (
        <FormTextarea
          control={control}
          name="key"
          label={t('form.keys')}
          aside={aside}
          mono
          rows={4}
          placeholder={t('form.keysPlaceholder')}
          hint={keys.length > 1 ? t('form.keysHint', { count: keys.length }) : t('form.keysNone')}
        />
      ) : (
        <FormPassword
          control={control}
          name="key"
          label={t('form.key')}
          aside={aside}
          autoComplete="off"
          hint={t('form.keyHint')}
        />
      )}
    </div>
  );
}

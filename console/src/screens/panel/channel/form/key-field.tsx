import type { Channel, ChannelType } from '@relay-hub/contract';
import { useEffect, useRef, useState, type ClipboardEvent, type ReactNode } from 'react';
import { useController, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Field } from '#ui/form/field.tsx';
import { FormPassword, FormTextarea } from '#ui/form/form-text.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { useFormField } from '#ui/form/use-form-field.ts';
import { keysIn, type ChannelBody, type ChannelValues } from './channel-values.ts';
import { KeyParts } from './key-parts.tsx';

interface Props {
  control: Control<ChannelValues, unknown, ChannelBody>;
  type: ChannelType | undefined;
  channel: Channel | undefined;
  copied: Channel | undefined;
  several: boolean;
  onSeveral: (several: boolean) => void;
}

/** Keys are write-only: a stored one can only be replaced. */
export function KeyField({ control, channel, ...rest }: Props) {
  const [replacing, setReplacing] = useState(false);
  const { shell } = useFormField({ control, name: 'key', label: '' });
  // A stored key is never sent to another address, so the server may ask for it again.
  if (shell.error !== undefined && !replacing) setReplacing(true);
  if (!channel) return <NewKey control={control} {...rest} />;
  if (replacing)
    return (
      <Replacement control={control} type={rest.type} count={channel.key_count} onKeep={() => setReplacing(false)} />
    );
  return <StoredKey channel={channel} onReplace={() => setReplacing(true)} />;
}

function StoredKey({ channel, onReplace }: { channel: Channel; onReplace: () => void }) {
  const { t } = useTranslation('channelForm');
  const { key_hint: hint, key_count: count } = channel;
  return (
    <Field label={t('form.key')} hint={count > 1 ? t('form.keysText', { count }) : t('form.keyStored')}>
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

function Replacement({
  control,
  type,
  count,
  onKeep,
}: Pick<Props, 'control' | 'type'> & { count: number; onKeep: () => void }) {
  const { t } = useTranslation('channelForm');
  const { change } = useFormField({ control, name: 'key', label: '' });
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.querySelector<HTMLElement>('input, textarea')?.focus(), []);
  const keep = () => {
    change('');
    onKeep();
  };
  const aside = (
    <button type="button" onClick={keep} className="touch rounded-tile text-13 text-accent hover:underline">
      {t('form.keepKey')}
    </button>
  );
  return (
    <div ref={frame} className="min-w-0">
      <OneKey
        control={control}
        type={type}
        label={t('form.newKey')}
        aside={aside}
        hint={t('form.keyReplace', { count })}
      />
    </div>
  );
}

interface OneKeyProps extends Pick<Props, 'control' | 'type'> {
  label: string;
  aside: ReactNode;
  hint: string;
}

/** A single key in the format of its type: one line, several parts, or JSON. */
function OneKey({ control, type, label, aside, hint }: OneKeyProps) {
  const { t } = useTranslation('channelForm');
  if (type?.key.json)
    return (
      <FormTextarea control={control} name="key" label={label} aside={aside} mono rows={4} hint={t('form.keyJson')} />
    );
  if (type && type.key.forms.some((form) => form.length > 1))
    return <KeyParts control={control} forms={type.key.forms} label={label} aside={aside} hint={hint} />;
  return (
    <FormPassword
      control={control}
      name="key"
      label={label}
      aside={aside}
      autoComplete="off"
      hint={type?.key.any ? t('form.keyAny') : hint}
    />
  );
}

function NewKey({ control, type, copied, several, onSeveral }: Omit<Props, 'channel'>) {
  const { t } = useTranslation('channelForm');
  const { value, change } = useFormField({ control, name: 'key', label: '' });
  const json = type?.key.json ?? false;
  const keys = keysIn(String(value), json);
  // A single-line field would join the pasted keys.
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text');
    if (several || json || keysIn(pasted).length < 2) return;
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
  const hint = copied ? t('form.keyCopied', { name: copied.name }) : t('form.keyHint');
  return (
    <div onPaste={onPaste} className="min-w-0">
      {several ? (
        <SeveralKeys control={control} count={keys.length} aside={aside} />
      ) : (
        <OneKey control={control} type={type} label={t('form.key')} aside={aside} hint={hint} />
      )}
    </div>
  );
}

/** Several keys, for one channel or one each. */
function SeveralKeys({ control, count, aside }: Pick<Props, 'control'> & { count: number; aside: ReactNode }) {
  const { t } = useTranslation('channelForm');
  const { field } = useController({ control, name: 'one_channel' });
  const one = field.value;
  return (
    <div className="grid grid-cols-1 gap-2">
      <FormTextarea
        control={control}
        name="key"
        label={t('form.keys')}
        aside={aside}
        mono
        rows={4}
        placeholder={t('form.keysPlaceholder')}
        hint={count > 1 ? t(one ? 'form.keysOne' : 'form.keysEach', { count }) : t('form.keysNone')}
      />
      <Segmented
        label={t('form.keysAs')}
        value={one ? 'one' : 'each'}
        options={[
          { value: 'one', label: t('form.oneChannel') },
          { value: 'each', label: t('form.eachChannel') },
        ]}
        onChange={(next) => field.onChange(next === 'one')}
      />
    </div>
  );
}

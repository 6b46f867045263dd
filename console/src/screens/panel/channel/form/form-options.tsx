import { keptSecret, type ChannelType, type PluginField, type PluginOptions } from '@relay-hub/contract';
import type { Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { Field, FieldBelow } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { useFormField } from '#ui/form/use-form-field.ts';
import type { ChannelBody, ChannelValues } from './channel-values.ts';
import { SecretBox } from './secret-box.tsx';

interface Props {
  control: Control<ChannelValues, unknown, ChannelBody>;
  plugins: ChannelType['plugins'];
}

type Value = PluginOptions[string][string];

export function OptionsSection({ control, plugins }: Props) {
  const { t } = useTranslation('channelForm');
  const { value, change, shell } = useFormField({ control, name: 'plugin', label: '' });
  const options = value as PluginOptions; // the form's own field
  const put = (id: string, name: string, next: Value) => {
    const { [name]: _, ...others } = options[id] ?? {};
    // Empty and off values are left out: the plugin is off then.
    const given = next === '' || next === false ? others : { ...others, [name]: next };
    const { [id]: __, ...rest } = options;
    change(Object.keys(given).length === 0 ? rest : { ...rest, [id]: given });
  };
  return (
    <DrawerSection title={t('form.options')} text={t('form.optionsText')} folded={shell.error === undefined}>
      {plugins.map((plugin) => (
        <Plugin key={plugin.id} plugin={plugin} given={options[plugin.id] ?? {}} onPut={put} />
      ))}
      {shell.error && <FieldBelow id="channel-options" error={shell.error} />}
    </DrawerSection>
  );
}

interface PluginProps {
  plugin: ChannelType['plugins'][number];
  given: PluginOptions[string];
  onPut: (id: string, name: string, value: Value) => void;
}

function Plugin({ plugin: { id, fields }, given, onPut }: PluginProps) {
  const { t } = useTranslation('channelForm');
  const title = useWords('plugin', id);
  const hint = useWords('pluginHint', id, '');
  const [only] = fields;
  if (only && fields.length === 1 && only.kind === 'switch')
    return (
      <div>
        <label className="flex min-h-8 items-center justify-between gap-3 font-title text-13">
          {title}
          <Switch checked={given[only.name] === true} onChange={(on) => onPut(id, only.name, on)} />
        </label>
        <FieldBelow id={`option-${id}`} hint={hint || undefined} />
      </div>
    );
  return (
    <fieldset className="min-w-0">
      <legend className="font-title text-13">{title}</legend>
      {hint && <p className="mt-0.5 text-12 text-text3">{hint}</p>}
      <div className="mt-2 grid grid-cols-2 items-start gap-x-4 gap-y-3 max-sm:grid-cols-1">
        {fields.map((field) => (
          <Option
            key={field.name}
            field={field}
            marksOptional={fields.some(({ required }) => required)}
            value={given[field.name]}
            onChange={(next) => onPut(id, field.name, next)}
          />
        ))}
      </div>
      {fields.length === 0 && <p className="text-13 text-text2">{t('form.byDefault')}</p>}
    </fieldset>
  );
}

interface OptionProps {
  field: PluginField;
  /** Whether to mark optional fields, because some of the others are required. */
  marksOptional: boolean;
  value: Value | undefined;
  onChange: (value: Value) => void;
}

function Option({ field, marksOptional, value, onChange }: OptionProps) {
  const { kind, name, choices, fallback, required, secret } = field;
  const label = useWords('option', name);
  const text = typeof value === 'boolean' || value === undefined ? '' : String(value);
  const long = kind === 'longtext' || kind === 'json';
  if (kind === 'switch')
    return (
      <label className="flex min-h-8 items-center justify-between gap-3 text-13">
        {label}
        <Switch checked={value === true} onChange={onChange} />
      </label>
    );
  return (
    <Field label={label} optional={marksOptional && !required} className={long ? 'col-span-full' : undefined}>
      {(aria) => {
        if (secret)
          return <SecretBox id={aria.id} label={label} value={text} stored={text === keptSecret} onChange={onChange} />;
        if (kind === 'choice')
          return (
            <Select
              aria={aria}
              value={text || null}
              options={choices.map((choice) => ({ value: choice, label: choice }))}
              onChange={onChange}
            />
          );
        const shared = { ...aria, value: text, placeholder: fallback, autoComplete: 'off' };
        if (long)
          return (
            <textarea
              {...shared}
              rows={3}
              className={`box block resize-y py-2 ${kind === 'json' ? 'font-mono text-13/5' : ''}`}
              onChange={(event) => onChange(event.target.value)}
            />
          );
        return <input {...shared} className="box" onChange={(event) => onChange(event.target.value)} />;
      }}
    </Field>
  );
}

/** The text for a provider's option, or its own name without one. */
function useWords(kind: 'plugin' | 'pluginHint' | 'option', name: string, otherwise = name): string {
  const { t, i18n } = useTranslation('channelForm');
  const key = `${kind}.${name}`;
  // Names come from the server at run time, so a text may be missing.
  return i18n.exists('channelForm', key) ? t(key as 'plugin.voice') : otherwise;
}

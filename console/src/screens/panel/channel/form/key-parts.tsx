import { useState, type ReactNode } from 'react';
import type { Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Field } from '#ui/form/field.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { useFormField } from '#ui/form/use-form-field.ts';
import type { ChannelBody, ChannelValues } from './channel-values.ts';

interface Props {
  control: Control<ChannelValues, unknown, ChannelBody>;
  /** Formats of the key: the names of its parts. */
  forms: readonly (readonly string[])[];
  label: string;
  aside: ReactNode;
  hint: string;
}

/** A key in several fields; the form holds the parts joined by `|`. */
export function KeyParts({ control, forms, label, aside, hint }: Props) {
  const { t } = useTranslation('channelForm');
  const { value, change, blur, ref, shell } = useFormField({ control, name: 'key', label, aside, hint });
  const given = String(value).split('|');
  const [chosen, setChosen] = useState(0);
  const form = forms[chosen] ?? forms[0] ?? [];
  const set = (index: number, part: string) => {
    // A whole key pasted into one field is split.
    const parts = part.includes('|') ? part.split('|') : form.map((_, i) => (i === index ? part : (given[i] ?? '')));
    const fitting = forms.findIndex((each) => each.length === parts.length);
    if (part.includes('|') && fitting >= 0) setChosen(fitting);
    change(parts.every((each) => each === '') ? '' : parts.join('|'));
  };
  const choose = (next: string) => {
    const count = forms[Number(next)]?.length ?? 0;
    setChosen(Number(next));
    if (value !== '') change(Array.from({ length: count }, (_, i) => given[i] ?? '').join('|'));
  };
  return (
    <Field {...shell}>
      {(aria) => (
        <div className="grid grid-cols-1 gap-2">
          {forms.length > 1 && (
            <Segmented
              label={t('form.keyForm')}
              value={String(chosen)}
              options={forms.map((each, index) => ({ value: String(index), label: each.at(-1) ?? '' }))}
              onChange={choose}
            />
          )}
          {form.map((name, index) => (
            <input
              key={name}
              {...(index === 0 ? aria : { 'aria-invalid': aria['aria-invalid'] })}
              {...(index === 0 && { ref })}
              aria-label={name}
              placeholder={name}
              type={/region|id$/i.test(name) ? 'text' : 'password'}
              autoComplete="off"
              className="box"
              value={given[index] ?? ''}
              onChange={(event) => set(index, event.target.value)}
              onBlur={blur}
            />
          ))}
        </div>
      )}
    </Field>
  );
}

import type { PriceUpdateSource } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState, type FormEvent } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Field } from '#ui/form/field.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { ChoiceCard } from './choice-card.tsx';
import { lastUpdate } from '#screens/panel/pricing/pricing-api.ts';

interface Props {
  /** Id of the form, for the submit button outside of it. */
  id: string;
  from: From;
  onFrom: (from: From) => void;
  error: Error | null;
  onChoose: (source: PriceUpdateSource) => void;
}

export type From = PriceUpdateSource['from'];

const froms = ['built_in', 'address', 'list'] as const;

/** Source of new prices: this build, a URL, a file. */
export function UpdateSource({ id, from, onFrom, error, onChoose }: Props) {
  const { t } = useTranslation('pricing');
  const known = useQuery(lastUpdate).data?.data[0]?.source ?? '';
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState('');
  const file = useRef<HTMLInputElement>(null);
  const address = typed ?? (known.startsWith('http') ? known : '');
  const message = problem || error?.message;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setProblem('');
    if (from === 'built_in') onChoose({ from });
    else if (from === 'address') onChoose({ from, address: address.trim() });
    else file.current?.click();
  };
  const read = async (chosen: File | undefined) => {
    if (!chosen) return;
    try {
      onChoose({ from: 'list', prices: JSON.parse(await chosen.text()) as unknown });
    } catch {
      // Only the parser throws here; its English message is replaced.
      setProblem(t('notJson', { name: chosen.name }));
    }
  };
  return (
    <form id={id} onSubmit={submit} className="grid grid-cols-1 gap-2">
      <fieldset className="grid grid-cols-1 gap-2">
        <legend className="sr-only">{t('sourceTitle')}</legend>
        {froms.map((value) => (
          <ChoiceCard
            key={value}
            name="price-source"
            title={t(`from.${value}`)}
            text={t(`fromText.${value}`)}
            checked={from === value}
            onChoose={() => onFrom(value)}
          />
        ))}
      </fieldset>
      {from === 'address' && (
        <Field label={t('address')} error={message} className="mt-2">
          {(aria) => (
            <input
              {...aria}
              type="text"
              inputMode="url"
              className="box font-mono text-13"
              placeholder="https://…/prices.json"
              autoComplete="url"
              value={address}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      )}
      {from !== 'address' && message && (
        <Note tone="bad" live>
          {message}
        </Note>
      )}
      <input
        ref={file}
        type="file"
        accept=".json,application/json"
        className="hidden"
        tabIndex={-1}
        onChange={(event) => {
          void read(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
    </form>
  );
}

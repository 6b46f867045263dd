import type { Token } from '@relay-hub/contract';
import type { FieldAria } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';

interface Props {
  aria: FieldAria;
  value: number;
  tokens: readonly Token[];
  onChange: (id: number) => void;
}

/** Chooses one of few tokens; each has the end of its key. */
export const TokenSelect = ({ aria, value, tokens, onChange }: Props) => (
  <Select
    aria={aria}
    value={value}
    options={tokens.map(({ id, name, key }) => ({ value: id, label: name, note: key.slice(-4) }))}
    onChange={onChange}
    searchable={tokens.length > 12}
  />
);

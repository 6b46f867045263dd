import { useContext, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { SavingDisabled } from '#ui/form/saving-disabled.ts';
import { toast } from '#ui/feedback/toast.ts';

const highest = 1_000_000;

interface CellProps {
  label: string;
  /** The number's name in messages. */
  field: string;
  value: number;
  lowest: number;
  onSave: (value: number) => void;
}

/** A number editable in its row: Enter or blur saves, Esc cancels. */
export function NumberCell({ label, field, value: stored, lowest: least, onSave }: CellProps) {
  const { t } = useTranslation('channel');
  // Undefined while not editing: then the list's value shows.
  const [text, setText] = useState<string>();
  const dropped = useRef(false);
  const away = useContext(SavingDisabled);

  const leave = () => {
    const typed = text?.trim();
    setText(undefined);
    if (typed === undefined || dropped.current || typed === String(stored)) return;
    const value = typed === '' ? NaN : Number(typed);
    if (Number.isInteger(value) && value >= least && value <= highest) onSave(value);
    else toast.error(t('number.rule', { name: field, lowest: least }), { detail: t('number.kept', { value: stored }) });
  };
  return (
    <input
      type="text"
      inputMode="numeric"
      autoComplete="off"
      aria-label={label}
      readOnly={away}
      value={text ?? stored}
      onFocus={(event) => {
        dropped.current = false;
        event.target.select();
      }}
      onChange={(event) => setText(event.target.value)}
      onBlur={leave}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        dropped.current = event.key === 'Escape';
        event.currentTarget.blur();
      }}
      className="box -mr-2.5 h-7.5 min-h-0 w-14 border-transparent bg-transparent px-2 text-right text-13 tabular-nums group-hover/row:not-focus:border-control hover:bg-card focus:bg-card"
    />
  );
}

import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import type { FieldAria } from '#ui/form/field.tsx';
import { rowsIn, textOf, type DiscountRow } from './discount-rows.ts';

interface Props {
  text: string;
  aria: FieldAria;
  onChange: (text: string) => void;
}

/** Amounts with their percent off; the setting holds a JSON map of price factors. */
export function DiscountEditor({ text, aria, onChange }: Props) {
  const { t } = useTranslation('settingTool');
  const [rows, setRows] = useState(() => rowsIn(text));
  // Replaced from outside: discarded, reset, or loaded again. JSON orders amounts by number, the rows do not.
  const isOurs = textOf(rows) === text || textOf(rowsIn(text)) === textOf(rowsIn(textOf(rows)));
  const shown = isOurs ? rows : rowsIn(text);
  if (!isOurs) setRows(shown);
  const put = (next: DiscountRow[]) => {
    setRows(next);
    onChange(textOf(next));
  };
  const change = (at: number, part: Partial<DiscountRow>) =>
    put(shown.map((row, index) => (index === at ? { ...row, ...part } : row)));
  return (
    <div id={aria.id} role="group" aria-describedby={aria['aria-describedby']} tabIndex={-1} className="outline-none">
      <ul className="grid grid-cols-1 gap-2">
        {shown.map(({ amount, off }, at) => (
          <li key={at} className="flex items-center gap-2 text-13 text-text2">
            <div className="box flex w-36 items-center gap-1.5 max-sm:w-auto max-sm:flex-1">
              <span className="text-text3">$</span>
              <Entry
                label={t('discountAmount')}
                numeric
                value={amount}
                onChange={(next) => change(at, { amount: next })}
              />
            </div>
            <span aria-hidden>→</span>
            <div className="box flex w-36 items-center gap-1.5 max-sm:w-auto max-sm:flex-1">
              <Entry label={t('discountOff')} value={off} onChange={(next) => change(at, { off: next })} />
              <span className="text-text3">{t('discountUnit')}</span>
            </div>
            <IconButton
              label={t('discountRemove', { amount })}
              icon={Trash2}
              onClick={() => put(shown.filter((_, index) => index !== at))}
            />
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="text-13 text-text3">{t('discountEmpty')}</p>}
      <Button icon={Plus} className="mt-2.5" onClick={() => put([...shown, { amount: '', off: '' }])}>
        {t('discountAdd')}
      </Button>
    </div>
  );
}

interface EntryProps {
  label: string;
  numeric?: boolean;
  value: string;
  onChange: (text: string) => void;
}

function Entry({ label, numeric = false, value, onChange }: EntryProps) {
  return (
    <input
      type="text"
      inputMode={numeric ? 'numeric' : 'decimal'}
      autoComplete="off"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value.trim())}
      className="h-[34px] min-w-0 flex-1 bg-transparent text-right tabular-nums outline-none max-sm:h-[42px]"
    />
  );
}

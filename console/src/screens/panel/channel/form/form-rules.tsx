import { ruleLimits, type RequestRule } from '@relay-hub/contract';
import { Braces, Plus } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useController, useWatch, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { useFieldMessage } from '#ui/form/use-field-message.ts';
import { FieldBelow } from '#ui/form/field.tsx';
import type { ChannelBody, ChannelValues } from './channel-values.ts';
import { RulePaste } from './rule-paste.tsx';
import { RuleRow, type RuleErrors } from './rule-row.tsx';
import { emptyRule, movedBy } from './rule-values.ts';

type FormControl = Control<ChannelValues, unknown, ChannelBody>;

/** Changes to the requests of a channel, in order. */
export function RulesSection({ control }: { control: FormControl }) {
  const { t } = useTranslation('channelForm');
  const count = useWatch({ control, name: 'request_rules' }).length;
  return (
    <DrawerSection title={t('rules.title')} text={count > 0 ? t('rules.count', { count }) : t('rules.text')} folded>
      <RulesField control={control} />
    </DrawerSection>
  );
}

/** The moved rule, whose button gets the focus back. */
interface Moved {
  id: number;
  step: -1 | 1;
}

function RulesField({ control }: { control: FormControl }) {
  const { t } = useTranslation('channelForm');
  const message = useFieldMessage();
  const below = useId();
  const { field, fieldState } = useController({ control, name: 'request_rules' });
  const [pasting, setPasting] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const rules: RequestRule[] = field.value;
  // Ids of the rows by place, so that a moved row keeps its state.
  const [ids, setIds] = useState<number[]>(() => rules.map((_, i) => i));
  const [moved, setMoved] = useState<Moved>();
  const known = ids.length === rules.length ? ids : rules.map((_, i) => i);
  useEffect(() => {
    if (!moved) return;
    const row = list.current?.querySelector(`[data-rule="${moved.id}"]`);
    const button = (step: number) => row?.querySelector<HTMLElement>(`[data-step="${step}"]:not(:disabled)`);
    (button(moved.step) ?? button(-moved.step))?.focus();
  }, [moved]);
  const set = (next: RequestRule[], nextIds: number[]) => {
    setIds(nextIds);
    field.onChange(next);
  };
  const errors = errorsIn(fieldState.error);
  return (
    <div className="grid grid-cols-1 gap-3" onBlur={field.onBlur}>
      <p className="text-13 text-text2">{t('rules.hint')}</p>
      {rules.length > 0 && (
        <ol ref={list} className="grid grid-cols-1 gap-2.5" aria-label={t('rules.title')}>
          {rules.map((rule, at) => (
            <RuleRow
              key={known[at]}
              id={known[at] ?? at}
              rule={rule}
              at={at}
              count={rules.length}
              errors={errors.rows[at]}
              onChange={(next) => field.onChange(rules.with(at, next))}
              onMove={(step) => {
                set(movedBy(rules, at, step), movedBy(known, at, step));
                setMoved({ id: known[at] ?? at, step });
              }}
              onRemove={() => set(rules.toSpliced(at, 1), known.toSpliced(at, 1))}
            />
          ))}
        </ol>
      )}
      <p role="status" className="sr-only">
        {moved && t('rules.moved', { place: known.indexOf(moved.id) + 1 })}
      </p>
      {pasting ? (
        <RulePaste
          rules={rules}
          onRules={(next) =>
            set(
              next,
              next.map((_, i) => Math.max(-1, ...known) + 1 + i),
            )
          }
          onClose={() => setPasting(false)}
        />
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button
            size="sm"
            icon={Plus}
            disabled={rules.length >= ruleLimits.rules}
            onClick={() => set([...rules, emptyRule], [...known, Math.max(-1, ...known) + 1])}
          >
            {t('rules.add')}
          </Button>
          <Button size="sm" variant="ghost" icon={Braces} onClick={() => setPasting(true)}>
            {t('rules.json')}
          </Button>
        </div>
      )}
      <FieldBelow id={below} error={message(errors.own)} />
    </div>
  );
}

/** The errors of a list: by row with their paths, and of the list itself. */
function errorsIn(error: unknown): { rows: (RuleErrors | undefined)[]; own: string | undefined } {
  const rows: (RuleErrors | undefined)[] = [];
  if (typeof error !== 'object' || error === null) return { rows, own: undefined };
  for (const [at, row] of Object.entries(error)) {
    const found = new Map<string, string>();
    if (/^\d+$/.test(at)) collect(row, '', found);
    if (found.size > 0) rows[Number(at)] = found;
  }
  const own = 'message' in error && typeof error.message === 'string' ? error.message : undefined;
  return { rows, own: rows.length > 0 ? undefined : own };
}

function collect(error: unknown, path: string, found: Map<string, string>): void {
  if (typeof error !== 'object' || error === null) return;
  if ('message' in error && typeof error.message === 'string') found.set(path, error.message);
  else
    for (const [name, inner] of Object.entries(error))
      if (name !== 'ref' && name !== 'root') collect(inner, path === '' ? name : `${path}.${name}`, found);
}

import type { RequestRule } from '@relay-hub/contract';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { formatOf, pastedRules, pasteFormats, type PasteFormat } from './rule-values.ts';

interface Props {
  rules: readonly RequestRule[];
  onRules: (rules: RequestRule[]) => void;
  onClose: () => void;
}

/** All rules as JSON, in this program's form or in those of one-hub and new-api. */
export function RulePaste({ rules, onRules, onClose }: Props) {
  const { t } = useTranslation(['channelForm', 'shared']);
  const [text, setText] = useState(() => (rules.length === 0 ? '' : JSON.stringify(rules, null, 2)));
  const [format, setFormat] = useState<PasteFormat>('rules');
  const [error, setError] = useState<string>();
  const [lost, setLost] = useState<string[]>([]);
  const type = (next: string) => {
    setText(next);
    setError(undefined);
    const found = formatOf(next);
    if (found) setFormat(found);
    else if (format === 'rules' && next.trimStart().startsWith('{')) setFormat('custom_parameter');
  };
  const apply = () => {
    const found = pastedRules(text.trim() === '' ? '[]' : text, text.trim() === '' ? 'rules' : format);
    if (typeof found === 'string')
      return setError(found === '' ? t('rules.badJson') : t('rules.badRule', { place: found }));
    onRules(found.rules);
    if (found.lost.length === 0) return onClose();
    setText(JSON.stringify(found.rules, null, 2));
    setFormat('rules');
    setLost(found.lost);
  };
  return (
    <div className="grid grid-cols-1 gap-3 rounded-control border border-line p-3">
      <Field label={t('rules.jsonLabel')} hint={t('rules.jsonHint')} error={error}>
        {(aria) => (
          <textarea
            {...aria}
            rows={8}
            spellCheck={false}
            value={text}
            onChange={(event) => type(event.target.value)}
            className="box block resize-y py-2 font-mono text-13/5"
          />
        )}
      </Field>
      {lost.length > 0 && (
        <Note tone="warn" live>
          {t('rules.lost', { names: lost.join(', ') })}
        </Note>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Select
          aria={{ 'aria-label': t('rules.format') }}
          value={format}
          options={pasteFormats.map((each) => ({ value: each, label: t(`rules.formats.${each}`) }))}
          onChange={setFormat}
          className="h-8.5 min-h-0 w-64 text-13 max-sm:h-10"
        />
        <span className="ml-auto flex gap-2">
          <Button size="sm" variant="ghost" onClick={onClose}>
            {t('shared:cancel')}
          </Button>
          <Button size="sm" onClick={apply}>
            {t('rules.apply')}
          </Button>
        </span>
      </div>
    </div>
  );
}

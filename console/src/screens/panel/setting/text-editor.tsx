import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import type { ControlProps } from './setting-control.tsx';
import type { Kind } from './setting-groups.ts';
import { spread } from './setting-values.ts';

const TextPreview = lazy(async () => ({ default: (await import('./text-preview.tsx')).TextPreview }));

const previewed: readonly Kind[] = ['notice', 'page', 'footer'];

/** Multi-line editor for JSON, phrases and page contents, with a preview. */
export function TextEditor({ field, text, aria, onChange }: ControlProps) {
  const { t } = useTranslation('setting');
  const [looking, setLooking] = useState(false);
  // JSON is formatted once and then left as typed.
  const [typed, setTyped] = useState<string>();
  const isJson = field.kind === 'json';
  const shown = typed !== undefined && spread(typed) === spread(text) ? typed : isJson ? spread(text) : text;
  const rows = Math.min(16, Math.max(field.kind === 'footer' ? 3 : 4, shown.split('\n').length));
  return (
    <div>
      {looking ? (
        <Suspense fallback={<div className="h-24" />}>
          <TextPreview kind={field.kind} text={text} />
        </Suspense>
      ) : (
        <textarea
          {...aria}
          rows={rows}
          spellCheck={false}
          className={cx('box block resize-y py-2', (isJson || field.kind === 'lines') && 'font-mono text-13/5')}
          value={shown}
          onChange={(event) => {
            setTyped(event.target.value);
            onChange(event.target.value);
          }}
        />
      )}
      {(isJson || previewed.includes(field.kind)) && (
        <div className="mt-1.5 flex justify-end gap-1">
          {isJson && (
            <Button variant="ghost" size="sm" onClick={() => setTyped(undefined)}>
              {t('format')}
            </Button>
          )}
          {previewed.includes(field.kind) && (
            <Button variant="ghost" size="sm" aria-pressed={looking} onClick={() => setLooking((now) => !now)}>
              {t(looking ? 'edit' : 'preview')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

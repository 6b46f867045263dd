import { useTranslation } from '#i18n/use-translation.ts';
import { OperatorContent } from '#content/operator-content.tsx';
import { OperatorHtml } from '#content/operator-html.tsx';
import { RichText } from '#content/rich-text.tsx';
import type { Kind } from './setting-groups.ts';

/** A text as visitors see it, with the same sanitizing. */
export function TextPreview({ kind, text }: { kind: Kind; text: string }) {
  const { t } = useTranslation(['setting', 'settingNames']);
  return (
    <div className="flex min-h-24 flex-col rounded-control border border-line2 bg-page p-4">
      {text.trim() === '' ? (
        <p className="m-auto text-13 text-text3">{t('previewEmpty')}</p>
      ) : kind === 'notice' ? (
        <RichText text={text} />
      ) : kind === 'footer' ? (
        <OperatorHtml html={text} title={t('settingNames:Footer')} />
      ) : (
        <OperatorContent content={text} title={t('preview')} />
      )}
    </div>
  );
}

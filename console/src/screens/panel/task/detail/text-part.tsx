import { useTranslation } from '#i18n/use-translation.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

interface Props {
  title: string;
  text: string;
}

/** A text of a task with a copy button; absent without text. */
export function TextPart({ title, text }: Props) {
  const { t } = useTranslation('shared');
  if (text.trim() === '') return null;
  return (
    <DetailSection
      title={title}
      aside={
        <CopyButton text={text} name={title} variant="ghost" className="-my-1">
          {t('copy')}
        </CopyButton>
      }
    >
      <p className="text-13 break-words whitespace-pre-wrap">{text}</p>
    </DetailSection>
  );
}

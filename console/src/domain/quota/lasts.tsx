import { useTranslation } from '#i18n/use-translation.ts';
import { formatSpan, spanInFull } from '#ui/format/time.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';

interface Props {
  days: number;
  /** The sentence with a span of time, e.g. "8 weeks". */
  text: (span: string) => string;
}

/** How long a balance lasts, rounded; the tooltip has the days. */
export function Lasts({ days, text }: Props) {
  const { i18n } = useTranslation();
  const language = i18n.language.replace('_', '-');
  return (
    <Tooltip text={spanInFull(days, language)}>
      <span>{text(formatSpan(days, language))}</span>
    </Tooltip>
  );
}

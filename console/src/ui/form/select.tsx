import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { toast } from '#ui/feedback/toast.ts';
import { ClosedSelect } from './closed-select.tsx';
import type { SelectProps } from './select-option.tsx';

export type { SelectOption } from './select-option.tsx';

const loadPlain = async () => (await import('./plain-select.tsx')).PlainSelect;
const loadSearchable = async () => (await import('./searchable-select.tsx')).SearchableSelect;

/** A select; `searchable` adds a search above its list. Its list loads on first hover, focus or press. */
export function Select<V extends string | number>({
  searchable = false,
  ...props
}: SelectProps<V> & { searchable?: boolean | undefined }) {
  const { t } = useTranslation('shared');
  const [opening, setOpening] = useState(false);
  const [opened, setOpened] = useState<{ Part: Awaited<ReturnType<typeof loadPlain>>; by: Event }>();
  const load = searchable ? loadSearchable : loadPlain;
  const open = async (by: Event) => {
    setOpening(true);
    try {
      setOpened({ Part: await load(), by });
    } catch {
      toast.error(t('failed'), { detail: t('failedText') }); // the next press tries again
    }
    setOpening(false);
  };
  if (opened) return <opened.Part {...props} openedBy={opened.by} />;
  return (
    <ClosedSelect
      {...props}
      opening={opening}
      onReach={() => void load().catch(() => undefined)} // the press reports it
      onOpen={(by) => void open(by)}
    />
  );
}

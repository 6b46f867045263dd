import { useTranslation } from '#i18n/use-translation.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import type { TaskReader } from '#screens/panel/task/task-search.ts';

interface Props {
  reader: TaskReader;
  /** The user filter; empty: all users. */
  username: string;
  onChange: (username: string) => void;
}

type Side = 'everyone' | 'mine' | 'other';

/** For administrators: all tasks or the own ones. The filter chooses another user's. */
export function WhoseTasks({ reader, username, onChange }: Props) {
  const { t } = useTranslation('task');
  const side: Side = username === '' ? 'everyone' : username === reader.username ? 'mine' : 'other';
  const option = (value: Exclude<Side, 'other'>) => ({ value: value as Side, label: t(value) });
  return (
    <Segmented
      label={t('whose')}
      value={side}
      options={[option('everyone'), option('mine')]}
      onChange={(next) => onChange(next === 'mine' ? reader.username : '')}
    />
  );
}

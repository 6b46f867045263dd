import type { Token } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSelf } from '#api/self.ts';
import { storage } from '#api/storage.ts';
import { firstModel, modelsOfGroup } from '#domain/model/chat-models.ts';
import { modelsQuery } from './token-api.ts';

const key = 'example_model';

/** The model of the example call, among those available to the token; the choice is stored in this browser. */
export function useModelChoice(token: Token) {
  const { data: available } = useQuery(modelsQuery);
  const { data: self } = useSelf();
  const [chosen, setChosen] = useState(() => storage.get(key));
  const group = token.group || self?.group;
  const known = available !== undefined && group !== undefined;
  const models = known ? modelsOfGroup(available, group) : [];
  const model = models.find((each) => each === chosen) ?? (known ? firstModel(available, models) : undefined);
  const choose = (next: string) => {
    storage.set(key, next);
    setChosen(next);
  };
  return { known, models, model, choose };
}

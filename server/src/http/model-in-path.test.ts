import { expect, test } from 'vitest';
import { modelInPath } from './model-in-path.ts';

test.each([
  ['/api/prices/single/org/model', '/api/prices/single/org%2Fmodel'],
  ['/api/prices/single/a/b/c/?d=e/f', '/api/prices/single/a%2Fb%2Fc/?d=e/f'],
  ['/api/prices/single/org%2Fmodel/', '/api/prices/single/org%2Fmodel/'],
  ['/api/prices/single/plain?a=b/c', '/api/prices/single/plain?a=b/c'],
  ['/api/prices/single/', '/api/prices/single/'],
  ['/api/prices/single', '/api/prices/single'],
  ['/api/user/1/2', '/api/user/1/2'],
])('%s is %s', (target, path) => expect(modelInPath(target)).toBe(path));

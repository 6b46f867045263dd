import { describe, expect, test } from 'vitest';
import { newSqlite } from '#testing/databases.ts';
import { fuzz } from './fuzz.ts';
import { judge } from './fuzz-judge.ts';

describe('fuzzing', () => {
  test('every operation of the document: nothing fails, nothing refused changes anything', async () => {
    const report = await fuzz({ seed: 20_261_120, requests: 3000, make: newSqlite });
    expect(report.faults).toEqual([]);
    // Much was sent, and much of it accepted.
    expect(report.requests).toBe(3000);
    expect(report.operations).toBeGreaterThan(150);
    expect(report.compared).toBeGreaterThan(500);
    expect(report.answers['2xx']).toBeGreaterThan(300);
    expect(report.neverDone.length).toBeLessThan(report.operations / 2);
  }, 600_000);

  const operation = {
    name: 'GET /api/x',
    method: 'GET',
    path: '/api/x',
    parameters: [],
    body: undefined,
    guarded: true,
    answer: 'envelope' as const,
  };
  const look = (status: number, text: string, signedIn = true) =>
    judge(operation, { status, headers: new Headers(), text }, { signedIn, secrets: ['the-secret'] });
  const refusal = (code: string, message = '') => JSON.stringify({ success: false, message, code });

  test('finds what it looks for', () => {
    expect(look(200, '{"success":true,"message":"","data":1}')).toEqual([]);
    expect(look(400, refusal('input.invalid'))).toEqual([]);
    expect(look(502, refusal('outbound.failed'))).toEqual([]);
    expect(look(500, refusal('server.failed'))).toEqual(['status 500']);
    expect(look(400, refusal('record.not_found'))).toEqual(['record.not_found with status 400']);
    expect(look(200, '<html>')).toEqual(['no envelope']);
    expect(look(400, refusal('input.invalid', 'a\n    at f (/a/b.ts:1:2)'))).toContain('a stack trace in the answer');
    expect(look(200, '{"success":true,"message":"the-secret"}')).toEqual(['a secret in the answer']);
    expect(look(200, '{"success":true,"message":""}', false)).toEqual(['let somebody in who is not signed in']);
  });
});

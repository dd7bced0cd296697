import { describe, expect, it } from 'vitest';
import { judgeAudit } from './audit-dependencies.mjs';

const report = (counts: Record<string, number>, vulnerabilities = {}) =>
  JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: { vulnerabilities: counts } });
const none = { info: 0, low: 0, moderate: 0, high: 0, critical: 0, total: 0 };

describe('the audit of dependencies', () => {
  it('passes without vulnerabilities, and with a low one, which it names', () => {
    expect(judgeAudit(report(none))).toEqual({
      isFailure: false,
      sentence: 'Audit of production dependencies: 0 known vulnerabilities.',
    });
    expect(judgeAudit(report({ ...none, low: 1, total: 1 }, { tar: { severity: 'low' } }))).toEqual({
      isFailure: false,
      sentence: 'Audit of production dependencies: 1 known vulnerabilities.\n  tar: low',
    });
  });

  it.each(['moderate', 'high', 'critical'])('fails with a %s one', (severity) => {
    const verdict = judgeAudit(report({ ...none, [severity]: 1, total: 1 }, { pg: { severity } }));
    expect(verdict).toMatchObject({ isFailure: true, sentence: expect.stringContaining(`pg: ${severity}`) });
  });

  it.each([
    ['', 'no response'],
    ['<html>', 'no response'],
    [JSON.stringify({ message: '405 Method Not Allowed', statusCode: 405 }), '405 Method Not Allowed'],
    [JSON.stringify({ error: { code: 'ENOTFOUND', summary: 'request failed' } }), 'request failed'],
  ])('reports a registry that does not respond, and does not fail: %j', (output, reason) => {
    expect(judgeAudit(output)).toEqual({
      isFailure: false,
      sentence: `Dependencies were NOT audited: the registry does not respond (${reason}).`,
    });
  });
});

"""After the decision: audit, check and monitor decisions that are in use.

`plan_audit` draws the cells that a person should look at, and `audit_report` says what the answers
prove. `check_promises` tests once whether thresholds keep their promises on new labelled samples,
and `Monitor` watches them as samples arrive. `expect` estimates measures on samples without labels,
`find_label_errors` lists labels that are probably wrong, and `doctor` checks inputs for usual
faults. Tests bet on numbers of cells or samples, see `labelwise._tuning.guarantees`.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise.deployment._audit_plan import AuditPlan, plan_audit
    from labelwise.deployment._audit_report import AuditReport as AuditReport, audit_report
    from labelwise.deployment._check import PromiseCheck as PromiseCheck, check_promises
    from labelwise.deployment._doctor import Finding as Finding, Findings as Findings, doctor
    from labelwise.deployment._expect import Expectation as Expectation, expect
    from labelwise.deployment._label_errors import LabelErrors as LabelErrors, find_label_errors
    from labelwise.deployment._monitor import Monitor
    from labelwise.deployment._promises import Promise as Promise

__all__ = [
    "AuditPlan",
    "Monitor",
    "audit_report",
    "check_promises",
    "doctor",
    "expect",
    "find_label_errors",
    "plan_audit",
]

publish(__name__)
